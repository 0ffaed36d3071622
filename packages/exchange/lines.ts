// SPDX-License-Identifier: MIT

import type { Problem } from "./entry.ts";

export interface Line {
  /** Without its line break; empty if it is too long. */
  text: string;
  /** From 1. */
  number: number;
  /** Empty if the text ends before the line break. */
  lineBreak: "\n" | "\r\n" | "";
  isTooLong: boolean;
}

/** Maximum characters of a line, and of a CSV record of several lines. */
export const maxLineLength = 1_000_000;

/** The lines of a text that arrives in chunks. A line that is too long is not kept in memory. */
export async function* splitLines(chunks: AsyncIterable<string>): AsyncGenerator<Line> {
  let parts: string[] = [];
  let length = 0;
  let number = 1;
  const add = (part: string) => {
    length += part.length;
    if (length <= maxLineLength) parts.push(part);
    else parts = [];
  };
  const end = (isEnded: boolean): Line => {
    const text = parts.join("");
    const isCrLf = isEnded && text.endsWith("\r");
    const line: Line = {
      text: isCrLf ? text.slice(0, -1) : text,
      number: number++,
      lineBreak: isCrLf ? "\r\n" : isEnded ? "\n" : "",
      isTooLong: length > maxLineLength,
    };
    parts = [];
    length = 0;
    return line;
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let found = chunk.indexOf("\n"); found >= 0; found = chunk.indexOf("\n", start)) {
      add(chunk.slice(start, found));
      yield end(true);
      start = found + 1;
    }
    if (start < chunk.length) add(chunk.slice(start));
  }
  if (length > 0) yield end(false);
}

export const refuseLongLine = (line: number): Problem => ({
  problem: `the line has more than ${maxLineLength.toLocaleString("en")} characters`,
  line,
});
