// SPDX-License-Identifier: MIT

import { escapeHtml } from "@reading-list/core/domain/escape.ts";
import { type ExportedItem, joinPageNotes } from "./exported-item.ts";

/** Escapes a carriage return, too: parsers replace it by a line feed. */
const escapeText = (text: string) => escapeHtml(text).replaceAll("\r", "&#13;");

/**
 * Writes Netscape bookmarks, HTML that browsers and most services import. `TAGS` and `TOREAD` are known to many
 * services, but not to browsers. The note on the page is the description.
 */
export async function* writeBookmarks(items: AsyncIterable<ExportedItem>): AsyncGenerator<string> {
  yield `<!DOCTYPE NETSCAPE-Bookmark-file-1>
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<TITLE>Bookmarks</TITLE>
<H1>Bookmarks</H1>
<DL><p>
`;
  for await (const item of items) {
    const { url, title, tags, state, timeAdded, timeUpdated } = item;
    const attributes = {
      HREF: url,
      ADD_DATE: timeAdded,
      LAST_MODIFIED: timeUpdated,
      TOREAD: state === "unread" ? 1 : 0,
      TAGS: tags.join(","),
    };
    const list = Object.entries(attributes).map(([name, value]) => `${name}="${escapeText(String(value))}"`);
    yield `    <DT><A ${list.join(" ")}>${escapeText(title)}</A>\n`;
    const note = joinPageNotes(item);
    if (note !== "") yield `    <DD>${escapeText(note)}\n`;
  }
  yield "</DL><p>\n";
}
