// SPDX-License-Identifier: MIT

import { isPageNote } from "@reading-list/core/domain/highlight-fields.ts";
import type { ExportedHighlight, ExportedItem } from "./exported-item.ts";

/** Bytes of text between two locations of a Kindle, about. */
const unitsOfLocation = 150;

const onOneLine = (text: string) => text.replaceAll(/\s+/g, " ").trim();

/** `Tuesday, 14 November 2023 22:13:20`, in UTC. */
function writeDate(seconds: number): string {
  const date = new Date(1000 * seconds);
  const day = date.toLocaleDateString("en-GB", { timeZone: "UTC", dateStyle: "full" }).replace(/^(\w+),? /, "$1, ");
  return `${day} ${date.toISOString().slice(11, 19)}`;
}

/**
 * Writes highlights as a Kindle does in `My Clippings.txt`: a clipping for each highlight, followed by one for its note.
 * A note on the page is a clipping without a highlight. The site takes the place of the author. A highlight whose position
 * is unknown comes after those before it.
 */
export async function* writeClippings(items: AsyncIterable<ExportedItem>): AsyncGenerator<string> {
  yield "\uFEFF";
  for await (const { url, title, highlights = [] } of items) {
    const page = onOneLine(`${title} (${new URL(url).hostname})`);
    let last = 0;
    for (const highlight of highlights) {
      const { begin, end } = toLocations(highlight, last);
      last = end;
      const added = `Added on ${writeDate(highlight.timeCreated)}`;
      if (!isPageNote(highlight))
        yield writeClipping(page, `Your Highlight on Location ${begin}-${end} | ${added}`, highlight.quote);
      if (highlight.note !== "") yield writeClipping(page, `Your Note on Location ${end} | ${added}`, highlight.note);
    }
  }
}

function toLocations({ position, quote }: ExportedHighlight, last: number): { begin: number; end: number } {
  const toLocation = (units: number) => Math.floor(units / unitsOfLocation) + 1;
  if (position === undefined) return { begin: last + 1, end: last + toLocation(quote.length) };
  return { begin: toLocation(position), end: toLocation(position + quote.length) };
}

const writeClipping = (page: string, place: string, text: string) =>
  `${page}\r\n- ${place}\r\n\r\n${onOneLine(text)}\r\n==========\r\n`;
