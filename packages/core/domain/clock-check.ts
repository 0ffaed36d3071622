// SPDX-License-Identifier: MIT

const day = 86_400;

/** Seconds by which a clock may be ahead of all known times. */
const plausibleSeconds = 30 * day;
/** Daily runs over which an implausible clock must be steady to confirm itself. */
const runsToConfirm = 7;
/** Seconds between two plausible runs that are remembered. */
const secondsOfRun = 3600;
/** A clock before this time was not set yet. */
const earliest = Date.UTC(2024, 0) / 1000;
/** Runs in the future that are remembered. */
const futureRuns = 3;

declare const granted: unique symbol;

/** The permit that each function that erases by age takes. Only `judgeClock` grants it, so every such function has to ask. */
export interface ErasePermit {
  /** Unix seconds, of a plausible clock. */
  readonly now: number;
  readonly [granted]: true;
}

/** The record that a database has of the clock. Times are unix seconds. */
export interface ClockRecord {
  /** The last run with a plausible clock, then earlier runs whose times are later: one of these clocks was wrong. */
  plausibleRuns?: readonly number[] | undefined;
  /** The clock is implausible: the newest time that was known before, and the first run of each day since. */
  doubt?: { base: number; runs: readonly number[] } | undefined;
}

export interface ClockVerdict {
  /** Undefined if the clock is implausible. */
  permit: ErasePermit | undefined;
  /** The record to store; the given one if nothing is new. */
  record: ClockRecord;
}

/**
 * Whether the clock is plausible: at most 30 days after the newest of the last plausible run and the `known` times of
 * lists and backups. Times in the future do not count, nor do runs with an implausible clock, which are later than the
 * last plausible run. A new installation has no times, and its clock is plausible. An implausible clock stays so until
 * it is right again, is confirmed, or was steady over 7 daily runs.
 */
export function judgeClock(record: ClockRecord, now: number, known: readonly number[] = []): ClockVerdict {
  const { plausibleRuns = [], doubt } = record;
  const isPast = (time: number) => time <= now;
  const lastRun = Math.max(0, ...plausibleRuns.filter(isPast));
  const counted = known.filter((time) => isPast(time) && (lastRun === 0 || time - lastRun <= plausibleSeconds));
  const base = doubt?.base ?? Math.max(lastRun, ...counted);
  const permit = { now } as ErasePermit;
  const plausible = (): ClockVerdict => {
    const isKnown = !doubt && lastRun > 0 && now - lastRun < secondsOfRun;
    const later = plausibleRuns.filter((time) => !isPast(time)).slice(0, futureRuns);
    return { permit, record: isKnown ? record : { plausibleRuns: [now, ...later] } };
  };
  // If the clock is behind all known times, nothing counts as old that was not old before.
  if (now < Math.max(base, earliest)) return { permit, record };
  if (base === 0 || now - base <= plausibleSeconds) return plausible();
  const runs = addRun(doubt?.runs ?? [], now);
  if (runs.length >= runsToConfirm) return plausible();
  return { permit: undefined, record: runs === doubt?.runs ? record : { plausibleRuns, doubt: { base, runs } } };
}

/** The first runs of the days; only the present one if the clock has gone back by days, or has leapt again. */
function addRun(runs: readonly number[], now: number): readonly number[] {
  const last = runs.at(-1);
  if (last === undefined || Math.abs(now - last) > (now < last ? day : plausibleSeconds)) return [now];
  return Math.floor(now / day) > Math.floor(last / day) ? [...runs, now] : runs;
}

/** The message about an implausible clock for administrators. */
export const describeDoubt = ({ base, runs }: NonNullable<ClockRecord["doubt"]>): string =>
  `the clock of this machine is implausible: the newest time seen before is ${new Date(base * 1000).toISOString()}. ` +
  "Nothing is erased by age: the trash grows, and backups may contain deleted accounts for more than 35 days. " +
  "If the clock is right, run readinglist clock confirm; " +
  `otherwise it is confirmed after ${runsToConfirm} steady daily runs (${runs.length} so far)`;

/** Backups that one run may delete at most, whatever the clock says. Backups of the future do not count. */
export function olderHalf<T>(backups: readonly T[], timeOf: (backup: T) => number, now: number): T[] {
  const past = backups.filter((each) => timeOf(each) <= now).sort((one, other) => timeOf(one) - timeOf(other));
  return past.slice(0, Math.floor(past.length / 2));
}
