import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as pause } from "node:timers/promises";

/** Counters of one call, for its log line and its metrics. */
export interface Tally {
  databaseCalls: number;
  /** Writes that conflicted with another write and were retried. */
  conflictsRetried: number;
  /** Passwords verified with argon2id, the most expensive step of any call. */
  passwordsVerified: number;
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
  deadline: AbortController;
  timer: NodeJS.Timeout;
  startedAt: number;
  tally: Tally;
}

/** Per call, not per process: `npm start` runs many calls in one process. */
const scope = new AsyncLocalStorage<CallScope>();

const abortAfter = (deadline: AbortController, ms: number) => setTimeout(() => deadline.abort(), ms).unref();

/** Runs a call with a deadline of 8 s, or of `ms`, and its own tally. */
export function runCall<T>(tally: Tally, call: () => T, ms = deadlineMs): T {
  const deadline = new AbortController();
  return scope.run({ deadline, timer: abortAfter(deadline, ms), startedAt: performance.now(), tally }, call);
}

/** Sets the deadline of the running call to `ms` after its start. */
export function extendDeadline(ms: number): void {
  const call = scope.getStore();
  if (!call) return;
  clearTimeout(call.timer);
  call.timer = abortAfter(call.deadline, Math.max(0, ms - (performance.now() - call.startedAt)));
}

/** Aborted at the deadline of the running call; undefined outside of a call. */
export const deadlineSignal = (): AbortSignal | undefined => scope.getStore()?.deadline.signal;

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
  const signal = deadlineSignal() ?? AbortSignal.timeout(deadlineMs);
  let backoffMs = firstBackoffMs;
  for (let attempt = 1; !signal.aborted; attempt++) {
    yield attempt;
    await pause(Math.random() * backoffMs);
    backoffMs = Math.min(2 * backoffMs, maxBackoffMs);
  }
}
