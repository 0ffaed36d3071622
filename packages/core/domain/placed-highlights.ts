// SPDX-License-Identifier: MIT

import { separateBlocks } from "./block-breaks.ts";
import { findQuotations, type Quotation, type QuotationBudget } from "./quotation.ts";
import { readTextPlaces } from "./text-places.ts";
import { type Passage, searchableTextInParts } from "./visible-text.ts";

/** A highlight where it is in the text of its page; `passage` is undefined if the text does not have it any more. */
export interface PlacedHighlight<H> {
  highlight: H;
  passage: Passage | undefined;
}

/** The highlights in a text, in its order; highlights that are no longer in it are at the end. */
async function placeHighlights<H extends Quotation>(
  text: string,
  highlights: readonly H[],
  budget: QuotationBudget | undefined,
): Promise<PlacedHighlight<H>[]> {
  if (highlights.length === 0) return [];
  const passages = await findQuotations(await searchableTextInParts(text), highlights, budget);
  const findStart = ({ passage }: PlacedHighlight<H>) => passage?.start ?? Number.POSITIVE_INFINITY;
  return highlights
    .map((highlight, index) => ({ highlight, passage: wholePassage(text, highlight, passages[index]) }))
    .sort((a, b) => (findStart(a) === findStart(b) ? 0 : findStart(a) < findStart(b) ? -1 : 1));
}

/** A passage that is found leaves out white space at its ends; a passage of unchanged text keeps it. */
const wholePassage = (text: string, { quote }: Quotation, passage: Passage | undefined) => {
  if (!passage) return undefined;
  const before = quote.slice(0, quote.length - quote.trimStart().length);
  const after = quote.slice(quote.trimEnd().length);
  const start = text.slice(0, passage.start).endsWith(before) ? passage.start - before.length : passage.start;
  return { start, end: text.startsWith(after, passage.end) ? passage.end + after.length : passage.end };
};

/**
 * The text of a page's HTML, and the highlights in it. An answer of several pages has one budget. A quotation of
 * several blocks that an older version stored without a separator has one.
 */
export async function readHighlightedPage<H extends Quotation>(
  html: string,
  highlights: readonly H[],
  budget?: QuotationBudget,
) {
  const places = await readTextPlaces(html);
  const placed = (await placeHighlights(places.text, highlights, budget)).map(({ highlight, passage }) => ({
    highlight: passage
      ? { ...highlight, quote: separateBlocks(highlight.quote, places.text, passage, places.breaks) }
      : highlight,
    passage,
  }));
  return { places, placed };
}
