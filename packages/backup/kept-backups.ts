// SPDX-License-Identifier: MIT

import { backupDays } from "@reading-list/core/contract/delete_account.ts";
import { olderHalf } from "@reading-list/core/domain/clock-check.ts";

const day = 86_400;
const week = 7 * day;
/** Days for which each backup is kept. */
const allDays = 14;

/**
 * The times of backups, in unix seconds, that are no longer kept at `now`. Keeps all backups of the last 14 days, and
 * the last backup of each week (UTC, from Thursday on) for 35 days, after which no data of a deleted account may
 * remain. One run removes at most the older half.
 */
export function expiredTimes(times: readonly number[], now: number): number[] {
  const lastOfWeek = new Map<number, number>();
  for (const time of times) {
    const number = Math.floor(time / week);
    lastOfWeek.set(number, Math.max(time, lastOfWeek.get(number) ?? 0));
  }
  return olderHalf(times, (time) => time, now).filter((time) => {
    const age = now - time;
    if (age <= allDays * day) return false;
    return age > backupDays * day || lastOfWeek.get(Math.floor(time / week)) !== time;
  });
}
