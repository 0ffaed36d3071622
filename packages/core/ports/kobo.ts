// SPDX-License-Identifier: MIT

/** Kobo's shop, to which calls of e-readers are passed (docs/apps.md). */
export interface KoboShop {
  /** The origin of its host. */
  url: string;
  /** Milliseconds for an answer. */
  timeoutMs: number;
}
