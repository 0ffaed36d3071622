// SPDX-License-Identifier: MIT

import { escapeHtml } from "../../domain/article-markup.ts";
import type { Highlight } from "../../domain/highlights.ts";
import { wrapText } from "../../domain/text-places.ts";
import { readHighlightedPage } from "../lists/page-highlights.ts";

/**
 * The HTML of an article with its highlights as `<mark>`, and their notes as footnotes at its end. A highlight that the
 * text does not have any more follows the footnotes as a quotation.
 */
export async function markArticle(html: string, highlights: readonly Highlight[]): Promise<string> {
  if (highlights.length === 0) return html;
  const { places, placed } = await readHighlightedPage(html, highlights);
  const notes: string[] = [];
  const lost: string[] = [];
  const passages = placed.flatMap(({ highlight: { quote, note }, passage }) => {
    if (!passage) {
      lost.push(
        `<blockquote><p><mark>${escapeHtml(quote)}</mark></p></blockquote>${note && `<p>${escapeHtml(note)}</p>`}`,
      );
      return [];
    }
    const marked = { ...passage, before: "<mark>", after: "</mark>" };
    if (note === "") return [marked];
    const number = notes.length + 1;
    notes.push(`<li id="highlight-note-${number}">${escapeHtml(note)} <a href="#highlight-${number}">↩</a></li>`);
    const reference = `<sup><a id="highlight-${number}" href="#highlight-note-${number}">${number}</a></sup>`;
    return [{ ...marked, last: `</mark>${reference}` }];
  });
  const footnotes = notes.length > 0 ? `<ol>${notes.join("")}</ol>` : "";
  const end = footnotes || lost.length > 0 ? `<hr>${footnotes}${lost.join("")}` : "";
  return `${wrapText(html, places, passages)}${end}`;
}
