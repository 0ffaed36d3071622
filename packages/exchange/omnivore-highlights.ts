// SPDX-License-Identifier: MIT

import type { Row } from "./entry.ts";
import { toHighlightRow } from "./row.ts";

/**
 * Reads a file of Omnivore's folder `highlights`: the highlights of one page as quotations of Markdown, each followed by
 * its labels and note. Paragraphs before the first quotation are a note on the page.
 */
export function readOmnivoreHighlights(text: string, page: { url: string; title: string }): Row[] {
  const found: { quote: string; notes: string[]; line: number }[] = [];
  const ofPage = { quote: "", notes: [] as string[], line: 1 };
  let line = 1;
  for (const paragraph of text.split(/(\n(?:[^\S\n]*\n)+)/)) {
    const content = paragraph.trim();
    if (content.startsWith(">")) {
      found.push({ quote: content.replaceAll(/^>[ ]?/gm, "").trim(), notes: [], line });
    } else if (content !== "") {
      (found.at(-1) ?? ofPage).notes.push(content);
    }
    line += paragraph.split("\n").length - 1;
  }
  return [...(ofPage.notes.length > 0 ? [ofPage] : []), ...found].map(({ quote, notes, line }) =>
    toHighlightRow({ ...page, quote, note: notes.join("\n\n") }, line),
  );
}
