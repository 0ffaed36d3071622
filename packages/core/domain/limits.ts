// SPDX-License-Identifier: MIT

/** Calls allowed in one window (docs/api.md 8.1). */
export interface Limits {
  user: number;
  key: number;
}

/** The calls of a user in a window: all, and those through applications with `countsAlone`. */
export interface UserCalls {
  calls: number;
  publicCalls: number;
}

/** The calls with which the user limit of an application is compared: see `Application.countsAlone`. */
export const comparedCalls = ({ calls, publicCalls }: UserCalls, countsAlone: boolean): number =>
  countsAlone ? publicCalls : calls;

/** The sum of two. */
export const addUserCalls = (one: UserCalls, other: UserCalls): UserCalls => ({
  calls: one.calls + other.calls,
  publicCalls: one.publicCalls + other.publicCalls,
});

/** None. */
export const noCalls: UserCalls = { calls: 0, publicCalls: 0 };

/** The same number of calls, as they are counted. */
export const toUserCalls = (calls: number, countsAlone: boolean): UserCalls => ({
  calls,
  publicCalls: countsAlone ? calls : 0,
});

/** The values of three `X-Limit-*` headers (docs/api.md 8.2). */
export interface LimitStatus {
  limit: number;
  remaining: number;
  /** Seconds until the window ends. */
  reset: number;
}

/** A span of the clock in which calls are counted: aligned, so that all machines agree on it. Unix seconds. */
export interface LimitWindow {
  start: number;
  end: number;
}

/** The window of `seconds` length that contains `now`. */
export function windowAt(now: number, seconds: number): LimitWindow {
  const start = now - (now % seconds);
  return { start, end: start + seconds };
}

/**
 * Whether a record's window counts a call made in `window`: it is the same, or the next, which a machine with a faster
 * clock has opened. A later one comes from a wrong clock; without this bound it would lock the user out until then.
 */
export const isWindowOpen = (windowStart: number, { start, end }: LimitWindow) =>
  windowStart === start || windowStart === end;

/** Seconds after its start for which a window of calls is kept, for `readinglist usage`. */
export const windowKeptSeconds = 8 * 86_400;

/** The status of a limit after `used` calls in the window. */
export function limitStatus(limit: number, used: number, window: LimitWindow, now: number): LimitStatus {
  return { limit, remaining: Math.max(0, limit - used), reset: Math.max(0, window.end - now) };
}

/** Whether a window has room for `calls` after `used` ones. A call that counts many is admitted to an unused window. */
export const hasRoom = (limit: number, used: number, calls: number): boolean =>
  limit > 0 && (used === 0 || used + calls <= limit);

/**
 * The calls of a window as one process has counted them. Each process adds its own calls to the record now and then.
 */
export interface WindowCounter {
  /** Calls in the record when it was last written. */
  known: number;
  /** Calls of this process that are not in the record yet; negative if an undo is not. */
  pending: number;
  /** Time of the last write, in ms. */
  writtenAt: number;
}

/** Milliseconds for which a process relies on the number of calls that it read from the record. */
const freshMs = 1000;

/** Write at once from 1/100 of the remaining calls: near its limit a window is exact. */
const pendingShare = 100;

/** Whether a process counts calls in memory, refuses them, or lets its next write decide. `now` in ms. */
export function decideCall(
  { known, pending, writtenAt }: WindowCounter,
  limit: number,
  calls: number,
  now: number,
): "count" | "refuse" | "write" {
  const used = known + pending;
  const isFresh = Math.abs(now - writtenAt) < freshMs;
  // If calls are pending, this process has used the window, so it is full, whatever other processes have done.
  if (!hasRoom(limit, used, calls) && (isFresh || pending > 0 || limit === 0)) return "refuse";
  return isFresh && (pending + calls) * pendingShare <= limit - used ? "count" : "write";
}

/** The status shown for an API key that does not exist. */
export const noLimit: LimitStatus = { limit: 0, remaining: 0, reset: 0 };

/** Failed logins for a username from one address, after which logins are refused without checking the password. */
export const maxFailedLogins = 10;
/** Seconds from the first failed sign-in during which failures count. */
export const lockoutSeconds = 900;
