// SPDX-License-Identifier: MIT

import { escapeHtml } from "../../domain/escape.ts";
import type { Highlight } from "../../domain/highlights.ts";
import { readHighlightedPage } from "../../domain/placed-highlights.ts";
import type { QuotationBudget } from "../../domain/quotation.ts";
import { wrapText } from "../../domain/text-places.ts";
import type { Chapter } from "../../ports/pages.ts";

/**
 * A chapter with its highlights as `<mark>`, and their notes as footnotes. A highlight that the text does not have any more
 * follows the footnotes as a quotation; so do the notes on the page.
 */
export async function markChapter(
  chapter: Chapter,
  highlights: readonly Highlight[],
  budget?: QuotationBudget,
): Promise<Chapter> {
  if (highlights.length === 0) return chapter;
  const { places, placed } = await readHighlightedPage(chapter.html, highlights, budget);
  const notes: string[] = [];
  const lost: string[] = [];
  const passages = placed.flatMap(({ highlight: { quote, note }, passage }) => {
    if (!passage) {
      const quotation = quote && `<blockquote><p><mark>${escapeHtml(quote)}</mark></p></blockquote>`;
      lost.push(`${quotation}${note && `<p>${escapeHtml(note)}</p>`}`);
      return [];
    }
    const marked = { ...passage, before: "<mark>", after: "</mark>" };
    if (note === "") return [marked];
    const number = notes.length + 1;
    notes.push(
      `<li id="highlight-note-${number}" epub:type="footnote">${escapeHtml(note)} <a href="#highlight-${number}">↩</a></li>`,
    );
    // Because of its type KOReader shows the note beside the text, and readeck.koplugin distinguishes the number from
    // the text.
    const reference = `<a id="highlight-${number}" href="#highlight-note-${number}" epub:type="noteref"><sup>${number}</sup></a>`;
    return [{ ...marked, last: `</mark>${reference}` }];
  });
  const footnotes = notes.length > 0 ? `<ol>${notes.join("")}</ol>` : "";
  const end = footnotes || lost.length > 0 ? `<hr>${footnotes}${lost.join("")}` : "";
  return { ...chapter, html: wrapText(chapter.html, places, passages), notes: end };
}
