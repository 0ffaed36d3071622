// SPDX-License-Identifier: MIT

/** The event of the canary: what a deployment has published. */
export interface Release {
  /** The new version of each function, by the function's name. */
  versions: Record<string, string>;
  /** Seconds for which the new versions get a tenth of the calls first; 0: they get all calls at once. */
  seconds: number;
}
