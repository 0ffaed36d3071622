// SPDX-License-Identifier: MIT

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import type { ExportedItem } from "./exported-item.ts";

/** Writes our own format, which loses nothing; `readJsonLines` describes it. */
export async function* writeJsonLines(items: AsyncIterable<ExportedItem>): AsyncGenerator<string> {
  const hash = sha256.create();
  const encoder = new TextEncoder();
  let count = 0;
  let highlights = 0;
  for await (const item of items) {
    const { itemId, number, url, title, tags, state, timeAdded, timeUpdated, applicationId, refId, progress } = item;
    const fields = {
      url,
      title,
      tags,
      state,
      time_added: timeAdded,
      time_updated: timeUpdated,
      item_id: itemId,
      number,
      application_id: applicationId,
      ref_id: refId,
      progress,
    };
    count++;
    yield writeLine(fields);
    for (const { timeCreated, timeUpdated, ...highlight } of item.highlights ?? []) {
      const { id, quote, prefix, suffix, position, color, note } = highlight;
      const place = { item_id: itemId, url, quote, prefix, suffix, position };
      highlights++;
      yield writeLine({ id, ...place, color, note, time_created: timeCreated, time_updated: timeUpdated });
    }
  }
  const counts = { count, ...(highlights > 0 && { highlights }) };
  yield `${JSON.stringify({ ...counts, sha256: bytesToHex(hash.digest()) })}\n`;

  function writeLine(fields: object): string {
    const line = `${JSON.stringify(fields)}\n`;
    hash.update(encoder.encode(line));
    return line;
  }
}
