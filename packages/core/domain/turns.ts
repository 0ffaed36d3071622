// SPDX-License-Identifier: MIT

/** The web reader also does such work, and browsers have only timers. */
const { setImmediate: inNextTurn = setTimeout } = globalThis as { setImmediate?: (run: () => void) => unknown };

let lastTurn: Promise<void> = Promise.resolve();

/**
 * Waits for a turn of the event loop in which nobody else does long work: in each turn, one of several callers
 * continues, so that other requests wait for one step and not for one step of each caller.
 */
export function nextTurn(): Promise<void> {
  lastTurn = lastTurn.then(
    () =>
      new Promise((resolve) => {
        inNextTurn(() => {
          beginTurn();
          resolve();
        });
      }),
  );
  return lastTurn;
}

/** Milliseconds of work in one turn. */
const turnMs = 12;

/** When the first work that asks for it has begun in the present turn. */
let began: number | undefined;

function beginTurn(): void {
  began = performance.now();
  inNextTurn(() => {
    began = undefined;
  });
}

/**
 * Whether the present turn of the event loop has had its share of work, of whichever steps and calls: the caller then
 * waits for the next one. Long work asks before its first step, which starts the clock, and after each.
 */
export function isTurnLong(): boolean {
  if (began !== undefined) return performance.now() - began >= turnMs;
  beginTurn();
  return false;
}

/** Waits for the next turn if the present one is long. */
export const yieldIfLong = () => (isTurnLong() ? nextTurn() : undefined);

/** Does work that yields after each short step, in turns between which other tasks get theirs. */
export async function doInTurns<Result>(work: Generator<unknown, Result>): Promise<Result> {
  isTurnLong();
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    // Short work waits for nothing, not even for a promise: two parameters are then read in their order.
    if (isTurnLong()) await nextTurn();
  }
}

/** Does such work in one turn, for an input that is short. */
export function doAtOnce<Result>(work: Generator<unknown, Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/** UTF-16 units of the texts that are passed on together: counting their bytes takes some 1 ms. */
const unitsOfPart = 250_000;

/**
 * Writes values one after the other, in turns of the event loop: yields the texts of some values at a time, joined by
 * `separator`, which the caller also puts between them. One value can be a thousand times as long as another.
 */
export async function* writeInTurns<T>(
  values: Iterable<T>,
  separator: string,
  write: (value: T) => string,
): AsyncGenerator<string> {
  let texts: string[] = [];
  let units = 0;
  isTurnLong();
  for (const value of values) {
    const text = write(value);
    texts.push(text);
    units += text.length;
    const isLong = isTurnLong();
    if (!isLong && units < unitsOfPart) continue;
    yield texts.join(separator);
    texts = [];
    units = 0;
    if (isLong) await nextTurn();
  }
  if (texts.length > 0) yield texts.join(separator);
}

/** Values that are looked at in one turn of the event loop: a search of 30 words in as many long items takes 20 ms. */
const valuesAtOnce = 500;
/** Values that are merged in one turn: some 3 ms. */
const mergedAtOnce = 5000;

/** Values in parts, each in a separate turn of the event loop, so that other calls are answered meanwhile. */
export async function* inTurns<T>(values: Iterable<T>): AsyncGenerator<T[]> {
  let part: T[] = [];
  for (const value of values) {
    if (part.length === valuesAtOnce) {
      yield part;
      part = [];
      await nextTurn();
    }
    part.push(value);
  }
  if (part.length > 0) yield part;
}

/** Values in the order of `compare`, sorted in turns of the event loop. */
export async function sortInTurns<T>(values: Iterable<T>, compare: (one: T, other: T) => number): Promise<T[]> {
  let runs: T[][] = [];
  for await (const part of inTurns(values)) runs.push(part.sort(compare));
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let i = 0; i < runs.length; i += 2) merged.push(await merge(runs[i] ?? [], runs[i + 1] ?? [], compare));
    runs = merged;
  }
  return runs[0] ?? [];
}

async function merge<T>(one: readonly T[], other: readonly T[], compare: (one: T, other: T) => number): Promise<T[]> {
  const merged: T[] = [];
  let place = 0;
  for (const value of one) {
    for (let next = other[place]; next !== undefined && compare(next, value) < 0; next = other[++place]) {
      if (merged.push(next) % mergedAtOnce === 0) await nextTurn();
    }
    if (merged.push(value) % mergedAtOnce === 0) await nextTurn();
  }
  return merged.concat(other.slice(place));
}
