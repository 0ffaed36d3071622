// SPDX-License-Identifier: MIT

import { starredTag } from "@reading-list/core/domain/tags.ts";
import type { ExportedItem } from "./exported-item.ts";

const writeTime = (seconds: number) => new Date(seconds * 1000).toISOString().replace(".000Z", "+0000");

/**
 * Writes the JSON of wallabag's export (version 2), which wallabag, Linkwarden and others import. Annotations are the
 * highlights, and without a quotation the note on the page.
 */
export async function* writeWallabag(items: AsyncIterable<ExportedItem>): AsyncGenerator<string> {
  let separator = "\n";
  yield "[";
  for await (const { url, title, tags, state, timeAdded, timeUpdated, highlights = [] } of items) {
    const entry = {
      is_archived: Number(state === "read"),
      is_starred: Number(tags.includes(starredTag)),
      tags: tags.filter((tag) => tag !== starredTag),
      title,
      url,
      content: "",
      created_at: writeTime(timeAdded),
      updated_at: writeTime(timeUpdated),
      annotations: highlights.map(({ quote, note, timeCreated }) => ({
        text: note,
        quote,
        created_at: writeTime(timeCreated),
        ranges: [],
      })),
    };
    yield `${separator}${JSON.stringify(entry)}`;
    separator = ",\n";
  }
  yield "\n]\n";
}
