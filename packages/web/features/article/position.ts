// SPDX-License-Identifier: MIT

import type { Progress } from "@reading-list/client/main.ts";
import { contextLength, findQuotationAtOnce } from "@reading-list/core/domain/quotation.ts";
import { searchableText } from "@reading-list/core/domain/visible-text.ts";
import type { Position } from "../../data/positions.ts";
import type { TextMap } from "./text-map.ts";

/** Height of the bar above the article. */
export const barHeight = 64;

const blocks = "p, li, h1, h2, h3, h4, h5, h6, pre, figure, tr, dt, dd";

const findBlocks = (frame: HTMLIFrameElement) => [
  ...(frame.contentDocument?.querySelectorAll<HTMLElement>(blocks) ?? []),
];

/** The position at a height of the screen; undefined if the article begins below it. */
export function positionAt(line: number, frame: HTMLIFrameElement): Position | undefined {
  const all = findBlocks(frame);
  const top = frame.getBoundingClientRect().top;
  if (all.length === 0 || top >= line) return undefined;
  // Binary search for the last block that begins above the line.
  let [first, last] = [0, all.length - 1];
  while (first < last) {
    const middle = Math.ceil((first + last) / 2);
    if (top + (all[middle]?.getBoundingClientRect().top ?? 0) <= line) first = middle;
    else last = middle - 1;
  }
  const { top: offset = 0, height = 0 } = all[first]?.getBoundingClientRect() ?? {};
  const share = height > 0 ? (line - top - offset) / height : 0;
  return { block: first, share: Math.min(1, Math.max(0, share)) };
}

/** Scrolls a height of a frame to a height of the screen, both in pixels from the top. */
export const scrollInFrame = (frame: HTMLIFrameElement, height: number, line: number): void =>
  scrollBy({ top: frame.getBoundingClientRect().top + height - line, behavior: "instant" });

/** Scrolls a position to below the bar. */
export function scrollToPosition({ block, share }: Position, frame: HTMLIFrameElement): void {
  const all = findBlocks(frame);
  const rectangle = (all[block] ?? all.at(-1))?.getBoundingClientRect();
  if (!rectangle) return;
  scrollInFrame(frame, rectangle.top + share * rectangle.height, barHeight);
}

/** Characters of an anchor: a quotation, and the context after it. */
const quoteLength = 100;
const anchorLength = quoteLength + contextLength;

/**
 * A position for other devices: the share of the text above it, and the words that begin there. The end of the article on
 * the screen is 100 %, unless a further page follows.
 */
export function progressAt(
  position: Position | undefined,
  map: TextMap,
  frame: HTMLIFrameElement,
  hasNext: boolean,
): Progress {
  const block = position && findBlocks(frame)[position.block];
  if (!position || !block) return { percent: 0, anchor: "" };
  const { start, end } = map.toPassage(block);
  const reached = Math.round(start + position.share * (end - start));
  // Half a word would be found as well, but people read the quotation, too.
  const before = /\S{0,20}$/.exec(map.text.slice(Math.max(start, reached - 20), reached));
  const offset = reached - (before?.[0].length ?? 0);
  const isAtEnd = !hasNext && frame.getBoundingClientRect().bottom <= innerHeight + 1;
  const percent = isAtEnd ? 100 : Math.min(99, Math.floor((100 * offset) / Math.max(1, map.text.length)));
  const anchor = map.text.slice(offset, offset + 2 * anchorLength).replaceAll(/\s+/g, " ");
  return { percent, anchor: anchor.trim().slice(0, anchorLength).trim().toWellFormed() };
}

/** Characters of an article in which a quotation is sought before the article is shown; of a longer one the share counts. */
const longestSearched = 500_000;

/** The position of progress that another device has stored: at its quotation, else at its share. */
export function findPosition(
  { percent, anchor }: Progress,
  map: TextMap,
  frame: HTMLIFrameElement,
): Position | undefined {
  const expected = Math.floor((percent / 100) * map.text.length);
  const [quote, suffix] = [anchor.slice(0, quoteLength), anchor.slice(quoteLength)];
  const sought = { quote, suffix, prefix: "", position: expected };
  const isLong = map.text.length > longestSearched;
  const found = isLong ? undefined : findQuotationAtOnce(searchableText(map.text), sought);
  const offset = found?.start ?? expected;
  const block = map.elementAt(offset)?.closest<HTMLElement>(blocks);
  if (!block || offset <= 0) return undefined;
  const { start, end } = map.toPassage(block);
  return { block: findBlocks(frame).indexOf(block), share: end > start ? (offset - start) / (end - start) : 0 };
}
