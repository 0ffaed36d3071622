// SPDX-License-Identifier: MIT

import { blockElements } from "./article-markup.ts";
import { findFirst } from "./binary-search.ts";
import { firstAtOrAfter, type Passage, searchableText } from "./visible-text.ts";

/** A place between two blocks of an article, or lines of one: UTF-16 units of its joined text nodes before it. */
export interface BlockBreak {
  at: number;
  /** A space between the cells of a row, else a line break. */
  separator: "\n" | " ";
}

const blocks = new Set(blockElements);

/** The breaks of a text; they are added in the order of the text, where elements begin and end. */
export class BreakList {
  readonly breaks: BlockBreak[] = [];

  /** An element with this lower-case name begins or ends; an inline element makes no break. */
  add(at: number, element: string): void {
    if (!blocks.has(element)) return;
    const separator = element === "td" || element === "th" ? " " : "\n";
    const last = this.breaks.at(-1);
    if (last?.at !== at) this.breaks.push({ at, separator });
    else if (separator === "\n") last.separator = separator;
  }
}

/** The index of the first break after a place. */
const firstAfter = (breaks: readonly BlockBreak[], place: number): number =>
  findFirst(0, breaks.length, (index) => (breaks[index] as BlockBreak).at <= place);

/** The number of breaks within a passage: what `separateBlocks` may add to its characters. */
export const countBreaks = (breaks: readonly BlockBreak[], { start, end }: Passage): number =>
  Math.max(0, firstAfter(breaks, end - 1) - firstAfter(breaks, start));

/**
 * A quotation of a passage of `text` with a line break or space between the blocks of the passage, where it has no white
 * space. A quotation that differs from the passage in more than white space is returned as it is.
 */
export function separateBlocks(
  quote: string,
  text: string,
  passage: Passage,
  breaks: readonly BlockBreak[] | undefined = [],
): string {
  const { start, end } = passage;
  const within = breaks.slice(firstAfter(breaks, start), firstAfter(breaks, end - 1));
  if (within.length === 0) return quote;
  const source = searchableText(text.slice(start, end));
  const { folded, places } = searchableText(quote);
  if (folded !== source.folded) return quote;
  let separated = "";
  let copied = 0;
  for (const { at, separator } of within) {
    const index = firstAtOrAfter(source.places, at - start);
    const place = places[index] ?? 0;
    const isGlued = index > 0 && index < folded.length && places[index - 1] === place - 1;
    if (!isGlued || place === copied) continue;
    separated += quote.slice(copied, place) + separator;
    copied = place;
  }
  return separated + quote.slice(copied);
}
