// SPDX-License-Identifier: MIT

import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as pause } from "node:timers/promises";

/** Counters of one call, for its log line and its metrics. */
export interface Tally {
  databaseCalls: number;
  /** Writes that conflicted with another write and were retried. */
  conflictsRetried: number;
  /** Passwords verified with argon2id, the most expensive step of any call. */
  passwordsVerified: number;
  /** Verified passwords that were wrong, or whose user is unknown. */
  passwordsWrong: number;
  /** First failed sign-ins of an account from an address in 15 minutes: one device that repeats its own counts once. */
  signInsFailing: number;
  textHits: number;
  textMisses: number;
  /** Pages that were fetched but contain no article. */
  textsEmpty: number;
  textsFailed: number;
}

export const emptyTally = (): Tally => ({
  databaseCalls: 0,
  conflictsRetried: 0,
  passwordsVerified: 0,
  passwordsWrong: 0,
  signInsFailing: 0,
  textHits: 0,
  textMisses: 0,
  textsEmpty: 0,
  textsFailed: 0,
});

/** Deadline of one call in ms, all retries and waits included. Clients time out after 10 s or more. */
const deadlineMs = 8000;
const firstBackoffMs = 10;
const maxBackoffMs = 200;

interface CallScope {
  /** Set once something waits: most calls on SQLite end without a timer. */
  deadline?: { controller: AbortController; timer: NodeJS.Timeout };
  /** Milliseconds on the clock of `performance`. */
  startedAt: number;
  endsAt: number;
  tally: Tally;
  requestId: string | undefined;
  notice?: string;
  failure?: unknown;
}

/** Per call, not per process: `npm start` runs many calls in one process. */
const scope = new AsyncLocalStorage<CallScope>();

/** Runs a call with a deadline of 8 s, or of `ms`, and its own tally. `requestId`: the gateway's id of the call. */
export function runCall<T>(tally: Tally, call: () => T, ms = deadlineMs, requestId?: string): T {
  const startedAt = performance.now();
  return scope.run({ startedAt, endsAt: startedAt + ms, tally, requestId }, call);
}

/** The id of the running call, which the functions that it calls name in their logs. */
export const findRequestId = (): string | undefined => scope.getStore()?.requestId;

function abortAt(endsAt: number, controller: AbortController): NonNullable<CallScope["deadline"]> {
  const left = endsAt - performance.now();
  if (left <= 0) controller.abort();
  return { controller, timer: setTimeout(() => controller.abort(), Math.max(0, left)).unref() };
}

/** Sets the deadline of the running call to `ms` after its start. */
export function extendDeadline(ms: number): void {
  const call = scope.getStore();
  if (!call) return;
  call.endsAt = call.startedAt + ms;
  if (!call.deadline) return;
  clearTimeout(call.deadline.timer);
  call.deadline = abortAt(call.endsAt, call.deadline.controller);
}

/** Aborted at the deadline of the running call; undefined outside of a call. */
export function deadlineSignal(): AbortSignal | undefined {
  const call = scope.getStore();
  if (!call) return undefined;
  call.deadline ??= abortAt(call.endsAt, new AbortController());
  return call.deadline.controller.signal;
}

/** Adds a sentence for the caller to the answer of the running call, as `X-Notice`; does nothing without one. */
export function addNotice(notice: string | undefined): void {
  const call = scope.getStore();
  if (call && notice !== undefined) call.notice = call.notice === undefined ? notice : `${call.notice}; ${notice}`;
}

/** The notice of the running call. */
export const findNotice = (): string | undefined => scope.getStore()?.notice;

/** Notes a failure that the answer of the running call hides from its caller, so that its log line names the cause. */
export function noteFailure(error: unknown): void {
  const call = scope.getStore();
  if (call) call.failure ??= error;
}

/** The first such failure. */
export const findFailure = (): unknown => scope.getStore()?.failure;

/** Adds one to a counter of the running call; does nothing outside of a call. */
export function count(counter: keyof Tally): void {
  const tally = scope.getStore()?.tally;
  if (tally) tally[counter] += 1;
}

/**
 * Retries with exponential backoff and full jitter (10 ms doubling to 200 ms) until the call's deadline. Yields the
 * number of the attempt; the first one is immediate.
 *
 * @example for await (const attempt of retries()) if (await tryOnce()) return;
 */
export async function* retries(): AsyncGenerator<number> {
  let signal: AbortSignal | undefined;
  let backoffMs = firstBackoffMs;
  for (let attempt = 1; !signal?.aborted; attempt++) {
    yield attempt;
    signal ??= deadlineSignal() ?? AbortSignal.timeout(deadlineMs);
    await pause(Math.random() * backoffMs);
    backoffMs = Math.min(2 * backoffMs, maxBackoffMs);
  }
}
