// SPDX-License-Identifier: MIT

import type { ClockRecord } from "../domain/clock-check.ts";

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
}

/** The present in unix seconds. */
export const unixTime = (clock: Clock) => Math.floor(clock.now() / 1000);

/** The record that a database has of its machine's clock. */
export interface ClockStore {
  /** Empty for a new installation. */
  find(): Promise<ClockRecord>;
  save(record: ClockRecord): Promise<void>;
  /** The newest time of a list, in unix seconds, up to `now`; undefined without lists. */
  newestChange(now: number): Promise<number | undefined>;
}
