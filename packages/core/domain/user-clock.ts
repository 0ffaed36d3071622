/**
 * The logical clock in a user's record, in unix seconds. It orders changes and syncs of one list whatever the clocks
 * of the machines say: a change written after a `get` answered `since` S always carries a time above S.
 */
export interface UserClock {
  /** The newest `since` that any response has carried. */
  lastSince: number;
  /** The newest `time_updated` in the list. */
  changedAt: number;
}

/** The `time_updated` of a change made at `now`: after every `since` handed out, never before an earlier change. */
export function timeOfChange(now: number, clock: UserClock): number {
  return Math.max(now, clock.lastSince + 1, clock.changedAt);
}

/** The `since` of a response given at `now`: never before one handed out, never before a change delivered. */
export function timeOfSync(now: number, clock: UserClock): number {
  return Math.max(now, clock.lastSince, clock.changedAt);
}
