// SPDX-License-Identifier: MIT

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
