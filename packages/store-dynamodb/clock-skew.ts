// SPDX-License-Identifier: MIT

import { ServiceError } from "@reading-list/core/errors.ts";

/** Milliseconds by which this machine's clock may differ from the database's. */
const toleratedSkewMs = 60_000;
const retryAfterSeconds = 60;

/** The reason in the log. */
class ClockSkewError extends Error {
  override readonly name = "ClockSkewError";
  readonly code: "CLOCK_AHEAD" | "CLOCK_BEHIND";

  constructor(skewMs: number) {
    super(`this machine's clock is ${Math.round(skewMs / 1000)} s ahead of the database's`);
    this.code = skewMs > 0 ? "CLOCK_AHEAD" : "CLOCK_BEHIND";
  }
}

/**
 * Compares this machine's clock with the database's, by the `Date` header of a response. Throws `unavailable` if they
 * differ by more than a minute: a wrong clock would give changes, syncs and limits a time that other machines then
 * have to follow.
 */
export function checkClock(date: string | undefined): void {
  // NaN if the database sends no date, which is no reason to refuse calls.
  const skewMs = Date.now() - Date.parse(date ?? "");
  if (!(Math.abs(skewMs) > toleratedSkewMs)) return;
  throw new ServiceError("unavailable", "the service's clock is wrong; try again in a few minutes", {
    retryAfter: retryAfterSeconds,
    cause: new ClockSkewError(skewMs),
  });
}
