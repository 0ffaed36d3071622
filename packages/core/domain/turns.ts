// SPDX-License-Identifier: MIT

/** The web reader does such work, too, and a browser has timers alone. */
const { setImmediate: inNextTurn = setTimeout } = globalThis as { setImmediate?: (run: () => void) => unknown };

let lastTurn: Promise<void> = Promise.resolve();

/**
 * Waits for a turn of the event loop in which nobody else does long work: of several callers one goes on in each turn, so
 * that the requests of others wait for one step and not for one step of each caller.
 */
export function nextTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => new Promise((resolve) => void inNextTurn(resolve)));
  return lastTurn;
}

/** Milliseconds of work in one turn. */
const turnMs = 12;

/** Does work that yields after each short step, in turns between which other tasks get theirs. */
export async function doInTurns<Result>(work: Generator<unknown, Result>): Promise<Result> {
  for (let began = performance.now(); ; ) {
    const step = work.next();
    if (step.done) return step.value;
    if (performance.now() - began < turnMs) continue;
    await nextTurn();
    began = performance.now();
  }
}
