// SPDX-License-Identifier: MIT

import { inTurns } from "@reading-list/core/domain/turns.ts";

/** A JSON array of many values, written in turns of the event loop (`HttpAnswer.parts`). */
export async function* writeJsonList<T>(
  values: Iterable<T> | Promise<Iterable<T>>,
  show: (value: T) => unknown,
): AsyncGenerator<string> {
  let start = "[";
  for await (const part of inTurns(await values)) {
    yield start + part.map((value) => JSON.stringify(show(value))).join(",");
    start = ",";
  }
  yield start === "[" ? "[]" : "]";
}
