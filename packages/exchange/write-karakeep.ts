// SPDX-License-Identifier: MIT

import { type ExportedItem, joinPageNotes } from "./exported-item.ts";

/** Writes the JSON of Karakeep's export. Karakeep imports the state from it, but not from bookmarks in HTML. */
export async function* writeKarakeep(items: AsyncIterable<ExportedItem>): AsyncGenerator<string> {
  let separator = "\n";
  yield '{"bookmarks":[';
  for await (const item of items) {
    const { url, title, tags, state, timeAdded } = item;
    const note = joinPageNotes(item) || null;
    const fields = { createdAt: timeAdded, title, tags, lists: [], content: { type: "link", url }, note };
    yield `${separator}${JSON.stringify({ ...fields, archived: state === "read" })}`;
    separator = ",\n";
  }
  yield '\n],"lists":[]}\n';
}
