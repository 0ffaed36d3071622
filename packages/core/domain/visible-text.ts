// SPDX-License-Identifier: MIT

import { findFirst } from "./binary-search.ts";
import { nextTurn } from "./turns.ts";

/** A part of a text: UTF-16 units before its first character, and before the one that follows it. */
export interface Passage {
  start: number;
  end: number;
}

/** A text without white space, which differs between two readings of a page. */
export interface SearchableText {
  readonly folded: string;
  /** The place of each character of `folded` in the text; the last entry is the length of the text. */
  readonly places: Uint32Array;
}

/** White space, and characters that no reader sees: soft hyphen, zero-width space and joiners, byte order mark. */
const invisible = /[\s\u00ad\u200b-\u200d\ufeff]/;

const isVisible = (text: string, i: number): boolean => {
  const code = text.charCodeAt(i);
  return code > 0x20 && (code < 0x7f || !invisible.test(text.charAt(i)));
};

export function searchableText(text: string): SearchableText {
  const places = new Uint32Array(text.length + 1);
  const words: string[] = [];
  let length = 0;
  for (let i = 0; i < text.length; ) {
    const start = i;
    while (i < text.length && isVisible(text, i)) places[length++] = i++;
    if (i > start) words.push(text.slice(start, i));
    while (i < text.length && !isVisible(text, i)) i++;
  }
  places[length] = text.length;
  return { folded: words.join(""), places: places.subarray(0, length + 1) };
}

/** UTF-16 units that are folded in one turn of the event loop: some 10 ms. */
const unitsOfPart = 200_000;

/** The same as `searchableText`, in parts: other tasks get a turn after each. */
export async function searchableTextInParts(text: string): Promise<SearchableText> {
  if (text.length <= unitsOfPart) return searchableText(text);
  const places = new Uint32Array(text.length + 1);
  const parts: string[] = [];
  let length = 0;
  for (let start = 0; start < text.length; start += unitsOfPart) {
    if (start > 0) await nextTurn();
    const part = searchableText(text.slice(start, start + unitsOfPart));
    for (let i = 0; i < part.folded.length; i++) places[length++] = start + (part.places[i] as number);
    parts.push(part.folded);
  }
  places[length] = text.length;
  return { folded: parts.join(""), places: places.subarray(0, length + 1) };
}

/** Index of the first place that is not before a position. */
export const firstAtOrAfter = (places: Uint32Array, position: number): number =>
  findFirst(0, places.length - 1, (index) => (places[index] ?? 0) < position);
