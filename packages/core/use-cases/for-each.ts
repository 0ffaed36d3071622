// SPDX-License-Identifier: MIT

import { setTimeout as pause } from "node:timers/promises";

/** Works on values, some at a time. After an error no other value is begun. */
export async function forEach<T>(
  values: readonly T[],
  atOnce: number,
  work: (value: T) => Promise<void>,
): Promise<void> {
  const waiting = [...values];
  const worker = async () => {
    for (let value = waiting.shift(); value !== undefined; value = waiting.shift()) await work(value);
  };
  await Promise.all(Array.from({ length: atOnce }, worker)).catch((error) => {
    waiting.length = 0;
    throw error;
  });
}

/** The same for `ms` at most: values that are not begun by then are left out, and nobody waits for those under way. */
export async function forEachInTime<T>(
  values: readonly T[],
  atOnce: number,
  ms: number,
  work: (value: T) => Promise<void>,
): Promise<void> {
  let isOver = false;
  const working = forEach(values, atOnce, async (value) => {
    if (!isOver) await work(value);
  });
  await Promise.race([working, pause(ms, undefined, { ref: false })]);
  isOver = true;
}
