// SPDX-License-Identifier: MIT

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import type { ExportedItem } from "./exported-item.ts";

/** Writes our own format, which loses nothing; `readJsonLines` describes it. */
export async function* writeJsonLines(items: AsyncIterable<ExportedItem>): AsyncGenerator<string> {
  const hash = sha256.create();
  const encoder = new TextEncoder();
  let count = 0;
  for await (const item of items) {
    const { itemId, number, url, title, tags, state, timeAdded, timeUpdated, applicationId, refId } = item;
    const fields = {
      ...{ url, title, tags, state, time_added: timeAdded, time_updated: timeUpdated, item_id: itemId },
      ...{ number, application_id: applicationId, ref_id: refId },
    };
    const line = `${JSON.stringify(fields)}\n`;
    hash.update(encoder.encode(line));
    count++;
    yield line;
  }
  yield `${JSON.stringify({ count, sha256: bytesToHex(hash.digest()) })}\n`;
}
