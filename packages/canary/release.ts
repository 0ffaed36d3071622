// SPDX-License-Identifier: MIT

/** The event of the canary: the versions that a deployment has published. */
export interface Release {
  /** The new version of each function, by the function's name. */
  versions: Record<string, string>;
  /** Seconds for which the new versions get a tenth of the calls first; 0: they get all calls at once. */
  seconds: number;
}

/**
 * The event of a later step of a release that raises the data version: waits for the last calls of former versions, as long
 * as the step may, or to the end and raises it.
 */
export interface Finish {
  finish: "wait" | "raise";
}
