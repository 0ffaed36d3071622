import { AsyncLocalStorage } from "node:async_hooks";

/** Milliseconds in which a call is answered, with all that it waits for and tries again: clients wait for ten and more. */
const patience = 8000;
const firstPause = 10;
const longestPause = 200;

interface Deadline {
  /** On the clock of `performance.now()`. */
  end: number;
  signal: AbortSignal;
}

/** Bound to what runs for one call, as a process of `npm start` carries out many at once. */
const current = new AsyncLocalStorage<Deadline>();

/** Carries out a call; what it asks of others after its deadline is given up. */
export async function withDeadline<T>(call: () => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), patience);
  try {
    return await current.run({ end: performance.now() + patience, signal: controller.signal }, call);
  } finally {
    clearTimeout(timer);
  }
}

/** Is aborted at the deadline of the call that is being carried out; undefined outside of any. */
export const deadlineSignal = (): AbortSignal | undefined => current.getStore()?.signal;

/**
 * Attempts at something that others may be in the way of, until the call's deadline: the first at once, the others after
 * pauses of random, growing length, so that those who wait for each other find their turns.
 */
export async function* attempts(): AsyncGenerator<number> {
  const end = current.getStore()?.end ?? performance.now() + patience;
  let pause = firstPause;
  for (let attempt = 1; performance.now() < end; attempt++) {
    yield attempt;
    await new Promise((resolve) => setTimeout(resolve, Math.random() * pause));
    pause = Math.min(2 * pause, longestPause);
  }
}
