// SPDX-License-Identifier: MIT

import { type ExportedItem, pageNoteOf } from "./exported-item.ts";

/** Characters that end an attribute or begin markup, and CR, which parsers replace by LF. */
const special: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\r": "&#13;",
};

const escapeHtml = (text: string) => text.replaceAll(/[&<>"\r]/g, (character) => special[character] ?? character);

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
    const list = Object.entries(attributes).map(([name, value]) => `${name}="${escapeHtml(String(value))}"`);
    yield `    <DT><A ${list.join(" ")}>${escapeHtml(title)}</A>\n`;
    const note = pageNoteOf(item);
    if (note !== "") yield `    <DD>${escapeHtml(note)}\n`;
  }
  yield "</DL><p>\n";
}
