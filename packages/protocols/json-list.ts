// SPDX-License-Identifier: MIT

import { writeInTurns } from "@reading-list/core/domain/turns.ts";

/** A JSON array of many values, written in turns of the event loop (`HttpAnswer.parts`). */
export async function* writeJsonList<T>(
  values: Iterable<T> | Promise<Iterable<T>>,
  show: (value: T) => unknown = (value) => value,
): AsyncGenerator<string> {
  let start = "[";
  for await (const texts of writeInTurns(await values, ",", (value) => JSON.stringify(show(value)))) {
    yield start + texts;
    start = ",";
  }
  yield start === "[" ? "[]" : "]";
}

/** A JSON object with such a list as its last field `name`, after other fields. */
export async function* writeJsonObject(
  fields: object,
  name: string,
  list: AsyncIterable<string>,
): AsyncGenerator<string> {
  const start = JSON.stringify(fields).slice(0, -1);
  yield `${start}${start === "{" ? "" : ","}"${name}":`;
  yield* list;
  yield "}";
}
