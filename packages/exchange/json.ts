// SPDX-License-Identifier: MIT

import type { Problem } from "./entry.ts";

/** An object in an array of a JSON file. */
export interface JsonElement {
  /** The names that lead to the array, such as `roots.other.children`; empty if the file is the array. */
  key: string;
  fields: Record<string, unknown>;
  line: number;
}

/** Characters of one element: an article of wallabag, or a folder of a browser with everything in it. */
export const maxElementLength = 32_000_000;
const deepestNesting = 1000;

/**
 * The objects in the outermost arrays of a JSON file, one after the other, so that memory does not grow with the file;
 * also objects in an object that `isMap` accepts by the names that lead to it. `JSON.parse` reads the elements; only
 * their ends are searched for. @streamparser/json is as fast, but has neither line numbers nor a limit for an element,
 * and stops at the first invalid element.
 */
export async function* readElements(
  chunks: AsyncIterable<string>,
  isMap: (key: string) => boolean = () => false,
): AsyncGenerator<JsonElement | Problem> {
  const marks = /["\\{}[\]\n]/g;
  let line = 1;
  /** The number of open brackets. */
  let depth = 0;
  /** The depth within the outermost array; 0 outside of arrays. */
  let arrayDepth = 0;
  let isString = false;
  let isEscaped = false;
  /** The last name in each open object outside of arrays. */
  let keys: string[] = [];
  /** Line on which the element begins that is being read. */
  let begin: number | undefined;
  /** The beginning of that element, or of a name in the object that the file is; the rest is in the present chunk. */
  let text: string | undefined;
  for await (const chunk of chunks) {
    let from = 0;
    marks.lastIndex = isEscaped ? 1 : 0;
    isEscaped = false;
    for (let found = marks.exec(chunk); found; found = marks.exec(chunk)) {
      const [mark] = found;
      if (mark === "\n") line++;
      else if (mark === "\\") {
        isEscaped = found.index + 1 === chunk.length;
        marks.lastIndex = found.index + 2;
      } else if (mark === '"') {
        if (depth > 0 && arrayDepth === 0) {
          if (isString) keys[depth - 1] = `${text}${chunk.slice(from, found.index)}`;
          text = isString ? undefined : "";
          from = found.index + 1;
        }
        isString = !isString;
      } else if (isString) {
        // A bracket in a string is text.
      } else if (mark === "{" || mark === "[") {
        if (mark === "{" && depth > 0 && depth === arrayDepth) {
          begin = line;
          text = "";
          from = found.index;
        }
        const isContainer = arrayDepth === 0 && (mark === "[" || isMap(keys.join(".")));
        depth++;
        if (isContainer) arrayDepth = depth;
        if (depth > deepestNesting) {
          yield { problem: `more than ${deepestNesting} brackets are open; the rest of the file is ignored`, line };
          return;
        }
      } else {
        depth--;
        if (depth < arrayDepth) arrayDepth = 0;
        if (depth < keys.length) keys = keys.slice(0, Math.max(depth, 0));
        if (begin !== undefined && depth === arrayDepth) {
          yield parseElement(`${text}${chunk.slice(from, found.index + 1)}`, keys.join("."), begin);
          begin = undefined;
          text = undefined;
        }
      }
    }
    if (text !== undefined) text += chunk.slice(from);
    if (text !== undefined && text.length > maxElementLength) {
      yield { problem: "an entry is longer than 32 MB; the rest of the file is ignored", line: begin ?? line };
      return;
    }
  }
  if (depth > 0) yield { problem: "the file ends within this entry or list", line: begin ?? line };
}

function parseElement(text: string, key: string, line: number): JsonElement | Problem {
  try {
    return { key, fields: JSON.parse(text), line };
  } catch {
    return { problem: "not valid JSON", line };
  }
}
