// SPDX-License-Identifier: MIT

import type { Row } from "./entry.ts";
import { toHighlightRow } from "./row.ts";

/**
 * Reads a file of Omnivore's folder `highlights`: the highlights of one page as quotations of Markdown, each followed by
 * its labels and note. Paragraphs before the first quotation are a note of the page.
 */
export function readOmnivoreHighlights(text: string, page: { url: string; title: string }): Row[] {
  const found: { quote: string; notes: string[]; line: number }[] = [];
  const ofPage: string[] = [];
  let line = 1;
  for (const paragraph of text.split(/(\n(?:[^\S\n]*\n)+)/)) {
    const content = paragraph.trim();
    if (content.startsWith(">")) {
      found.push({ quote: content.replaceAll(/^>[ ]?/gm, "").trim(), notes: [], line });
    } else if (content !== "") {
      (found.at(-1)?.notes ?? ofPage).push(content);
    }
    line += paragraph.split("\n").length - 1;
  }
  return found.map(({ quote, notes, line }, index) => {
    const lost = index === 0 && ofPage.length > 0 ? { "note of the page": ofPage.join("\n\n") } : {};
    return toHighlightRow({ ...page, quote, note: notes.join("\n\n") }, line, lost);
  });
}
