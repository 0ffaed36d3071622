// SPDX-License-Identifier: MIT

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import type { Row } from "./entry.ts";
import { refuseLongLine, splitLines } from "./lines.ts";
import { toHighlightRow, toRow } from "./row.ts";

/**
 * Reads our own format, JSON Lines in UTF-8: one JSON object on a line, each line ended by LF.
 *
 *     {"url":"https://example.com/","title":"Example","tags":["a","b"],"state":"unread","time_added":1795302092,"time_updated":1795302093,"item_id":"1889362543751491"}
 *     {"id":"m1","item_id":"1889362543751491","url":"https://example.com/","quote":"Example Domain","prefix":"","suffix":" This","position":0,"color":"yellow","note":"","time_created":1795302092,"time_updated":1795302093}
 *     {"count":1,"highlights":1,"sha256":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"}
 *
 * - `state` is `unread` or `read`, times are Unix seconds. `item_id` is optional, because it follows from the URL.
 * - `progress` is how far the page was read: `{ percent, anchor, selector, time }`.
 * - `number` is the id that wallabag's API shows; an import assigns new numbers, because the numbers in the file may be
 * taken.
 * - Items are in the order of the list, the oldest change first.
 * - The highlights of an item follow it. `position` is absent if it is unknown.
 * - The last line has the number of items, the number of highlights if there are any, and the SHA-256, in hex, of all
 * bytes before that line. Without it the file
 *   was cut off.
 */
export async function* readJsonLines(chunks: AsyncIterable<string>): AsyncGenerator<Row> {
  const hash = sha256.create();
  const encoder = new TextEncoder();
  let count = 0;
  let highlights = 0;
  let line = 0;
  let isEnded = false;
  for await (const { text, number, isTooLong } of splitLines(chunks)) {
    line = number;
    if (isTooLong) yield refuseLongLine(line);
    if (text.trim() === "") continue;
    const fields = parseObject(text);
    if (isEnded) {
      yield { problem: "it follows the line with count and checksum, which must be the last line", line };
      continue;
    }
    if (fields && "sha256" in fields) {
      isEnded = true;
      const { count: items, highlights: marked = 0 } = fields;
      if (items !== count) yield { problem: `the file had ${Number(items)} items, now ${count}`, line };
      else if (marked !== highlights)
        yield { problem: `the file had ${Number(marked)} highlights, now ${highlights}`, line };
      else if (fields.sha256 !== bytesToHex(hash.digest())) {
        yield { problem: "the checksum differs: the file was changed after the export", line };
      }
      continue;
    }
    hash.update(encoder.encode(`${text}\n`));
    if (fields && "quote" in fields) {
      highlights++;
      yield readHighlight(fields, line);
      continue;
    }
    count++;
    yield fields ? readEntry(fields, line) : { problem: "not a JSON object", line };
  }
  if (!isEnded) yield { problem: "the line with count and checksum is missing: the file was cut off", line: line + 1 };
}

function readEntry(fields: Record<string, unknown>, line: number): Row {
  const { url, title, tags, state, time_added, time_updated, progress } = fields;
  const isRead = state === "read";
  const list = Array.isArray(tags) ? tags : [];
  return toRow({ url, title, tags: list, isRead, timeAdded: time_added, timeUpdated: time_updated, progress }, line);
}

function readHighlight(fields: Record<string, unknown>, line: number): Row {
  const { time_created: timeCreated, ...raw } = fields;
  return toHighlightRow({ ...raw, url: fields.url, timeCreated }, line);
}

export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
