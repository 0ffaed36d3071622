// SPDX-License-Identifier: MIT

import { createHash } from "node:crypto";
import { readJsonLines } from "@reading-list/exchange/json-lines.ts";
import type { Row } from "@reading-list/exchange/main.ts";
import { expect, test } from "vitest";

async function* inOneChunk(text: string) {
  yield text;
}

const sample =
  '{"url":"https://example.com/","title":"Example","tags":["a","b"],"state":"unread","time_added":1795302092,"time_updated":1795302093}\n';
const sampleEnd = `{"count":1,"sha256":"${createHash("sha256").update(sample).digest("hex")}"}\n`;

async function rows(text: string): Promise<Row[]> {
  const found: Row[] = [];
  for await (const row of readJsonLines(inOneChunk(text))) found.push(row);
  return found;
}

test.each([
  ["was changed", sample.replace("unread", "read") + sampleEnd, 2, "checksum differs"],
  ["lost a line", sampleEnd, 1, "had 1 items, now 0"],
  ["goes on after its last line", sample + sampleEnd + sample, 3, "follows the line with count"],
])("a file that %s has a problem", async (_, text, line, problem) => {
  expect(await rows(text)).toContainEqual({ line, problem: expect.stringContaining(problem) });
});
