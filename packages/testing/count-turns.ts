// SPDX-License-Identifier: MIT

import { onTestFinished, vi } from "vitest";

/** Does a piece of work; returns its result and the turns of the event loop in which other work could be done meanwhile. */
export async function countTurns<T>(work: () => Promise<T>): Promise<{ result: T; turns: number }> {
  let turns = 0;
  const turn = () => {
    turns++;
    next = setImmediate(turn);
  };
  let next = setImmediate(turn);
  try {
    const result = await work();
    return { result, turns };
  } finally {
    clearImmediate(next);
  }
}

/** The clock of long steps: it never goes back, within a file. */
let now = 0;

/** Gives each step of work that is done in turns a turn of its own for the rest of a test, however fast the machine is. */
export function makeStepsLong(): void {
  now = Math.max(now, performance.now());
  const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 1000));
  onTestFinished(() => clock.mockRestore());
}
