// SPDX-License-Identifier: MIT

/**
 * The logical clock in a user's record, in unix seconds. It orders changes and syncs of one list whatever the clocks
 * of the machines are: a change written after a `get` returned `since` S always has a time above S.
 */
export interface UserClock {
  /** The newest `since` that any response has carried. */
  lastSince: number;
  /** The newest `time_updated` in the list. */
  changedAt: number;
  /** The last change of any highlight, or of an item with highlights that was deleted, came back or was purged. */
  highlightsAt: number;
  /** The last change of a record of a saved copy (`KeptPage`). */
  keptAt: number;
  /** The last repair of a clock that was ahead: until when it ran ahead, and when it was repaired. */
  repaired?: { from: number; at: number } | undefined;
  /** Every `since` up to it is a first sync: the list was restored from a backup. */
  firstSyncUpTo?: number | undefined;
}

/** Seconds for which a wrong clock may have run until its repair. */
const wrongForSeconds = 30 * 86_400;

/**
 * Whether a sync cannot continue at a `since`: it may have been given out before a restore, or by a clock that was ahead and
 * was repaired.
 */
export function isOutdated(since: number, { repaired, firstSyncUpTo = 0 }: UserClock): boolean {
  if (firstSyncUpTo > 0 && since <= firstSyncUpTo) return true;
  return (
    repaired !== undefined && since <= repaired.from && since > Math.max(repaired.at, repaired.from - wrongForSeconds)
  );
}

/** The parts of a user's data that clients sync on their own. */
export type ListPart = "items" | "highlights" | "kept";

/** The time of the last change of a part. */
const findLastChange = ({ changedAt, highlightsAt, keptAt }: UserClock, part: ListPart): number =>
  ({ items: changedAt, highlights: highlightsAt, kept: keptAt })[part];

/** A poll does not need to advance the clock if its `since` is younger. */
const pollSeconds = 86_400;

/** Whether nothing has changed after a `since` that the list gave out. */
export const isUnchangedAfter = (since: number, clock: UserClock, part: ListPart = "items"): boolean =>
  findLastChange(clock, part) <= since && since <= clock.lastSince && !isOutdated(since, clock);

/**
 * Whether a client that has everything up to `since` can continue from there: nothing has changed, and it is less than
 * a day old, so that it never becomes older than the tombstones.
 */
export const isNothingNew = (since: number, now: number, clock: UserClock, part: ListPart = "items"): boolean =>
  isUnchangedAfter(since, clock, part) && since > now - pollSeconds;

/** The `time_updated` of a change made at `now`: after every returned `since`, never before an earlier change. */
export function chooseChangeTime(now: number, clock: UserClock): number {
  return Math.max(now, clock.lastSince + 1, clock.changedAt, clock.highlightsAt);
}

/**
 * Whether items may get times in the past: no response has carried a `since` yet, so no client can have passed them.
 */
export const isUnsynced = ({ lastSince }: UserClock): boolean => lastSince === 0;

/**
 * Seconds by which the logical clock may be ahead of the wall clock. It advances by a second with each change that
 * follows a `get` within the same second: with 320 calls per user and hour, by 160 s in an hour, by 320 s around a full
 * hour. Only higher limits reach this bound; changes then wait for the wall clock, one a second.
 */
export const maxLeadSeconds = 600;

/** Seconds for which a change has to wait until the wall clock has caught up; 0 if it need not. */
export function secondsToWait(now: number, clock: UserClock): number {
  // A restore has moved the logical clock ahead.
  const lead = chooseChangeTime(now, clock) - Math.max(now, clock.firstSyncUpTo ?? 0);
  // A machine with a wrong clock caused a larger lead, perhaps of years: waiting would not help.
  return lead > maxLeadSeconds && lead <= 2 * maxLeadSeconds ? lead - maxLeadSeconds : 0;
}

/** The `since` of a response given at `now`: never before one handed out, never before a change delivered. */
export function chooseSyncTime(now: number, clock: UserClock): number {
  return Math.max(now, newestTime(clock));
}

/** The newest time of a clock. */
export const newestTime = ({ lastSince, changedAt, highlightsAt, keptAt }: Omit<UserClock, "repaired">): number =>
  Math.max(lastSince, changedAt, highlightsAt, keptAt);

/**
 * The clock of a list that was restored at `now`. Every `since` that may have been returned before leads to a first
 * sync: any up to `now` plus the largest lead of a logical clock, and any of the replaced list, whose newest time is
 * `replaced`. The next `since` is greater, because otherwise every poll would be a first sync.
 */
export function clockAfterRestore(clock: UserClock, now: number, replaced = 0): UserClock {
  // Such a clock would hold the list in the future for long.
  const isWrong = replaced - now > wrongForSeconds;
  const firstSyncUpTo = Math.max(now + maxLeadSeconds, newestTime(clock), isWrong ? 0 : replaced);
  const next = firstSyncUpTo + 1;
  return {
    ...clock,
    // Clients ask for highlights only if one has changed.
    lastSince: next,
    highlightsAt: next,
    firstSyncUpTo,
    repaired: isWrong && replaced > firstSyncUpTo ? { from: replaced, at: firstSyncUpTo } : clock.repaired,
  };
}
