// SPDX-License-Identifier: MIT

import search from "approx-string-match";

/** A passage of a text, so that it is found again after the text has changed (W3C TextQuoteSelector, TextPositionSelector). */
export interface Quotation {
  quote: string;
  /** Up to `contextLength` characters before and after it. */
  prefix: string;
  suffix: string;
  /** UTF-16 units before it in the text that was quoted; absent if unknown. */
  position?: number | undefined;
}

/** A part of a text: UTF-16 units before its first character, and before the one that follows it. */
export interface Passage {
  start: number;
  end: number;
}

/** UTF-16 units of a quotation's `prefix` and `suffix`. */
export const contextLength = 64;

/** The quotation of a passage. */
export function quotationAt(text: string, { start, end }: Passage): Quotation {
  return {
    quote: text.slice(start, end),
    // A half of a surrogate pair is no character.
    prefix: text.slice(Math.max(0, start - contextLength), start).replace(/^[\udc00-\udfff]/, ""),
    suffix: text.slice(end, end + contextLength).replace(/[\ud800-\udbff]$/, ""),
    position: start,
  };
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
  let folded = "";
  let length = 0;
  for (let i = 0; i < text.length; ) {
    const start = i;
    while (i < text.length && isVisible(text, i)) places[length++] = i++;
    folded += text.slice(start, i);
    while (i < text.length && !isVisible(text, i)) i++;
  }
  places[length] = text.length;
  return { folded, places: places.subarray(0, length + 1) };
}

/** UTF-16 units that `searchableTextInParts` takes in one turn of the event loop: some 8 ms. */
const unitsOfPart = 500_000;

/** The same as `searchableText`, in parts: other tasks get a turn after each. */
export async function searchableTextInParts(text: string): Promise<SearchableText> {
  const places = new Uint32Array(text.length + 1);
  const parts: string[] = [];
  let length = 0;
  for (let start = 0; start < text.length; start += unitsOfPart) {
    if (start > 0) await new Promise((resolve) => setTimeout(resolve));
    const part = searchableText(text.slice(start, start + unitsOfPart));
    for (let i = 0; i < part.folded.length; i++) places[length++] = start + (part.places[i] as number);
    parts.push(part.folded);
  }
  places[length] = text.length;
  return { folded: parts.join(""), places: places.subarray(0, length + 1) };
}

/**
 * The passage of a quotation in a text; undefined if it is not there any more. The position comes first, then the
 * quotation, then one that is similar, each in its context. At most 25 ms for 1,000,000 characters, 0.1 ms as a rule.
 */
export function findQuotation(text: SearchableText, quotation: Quotation): Passage | undefined {
  const { folded, places } = text;
  const fold = (part: string) => searchableText(part).folded;
  const sought: Sought = {
    quote: fold(quotation.quote),
    prefix: fold(quotation.prefix),
    suffix: fold(quotation.suffix),
    position: quotation.position === undefined ? undefined : firstAtOrAfter(places, quotation.position),
  };
  const found = sought.quote ? find(folded, sought) : undefined;
  return found && { start: places[found.start] ?? 0, end: (places[found.end - 1] ?? 0) + 1 };
}

/** Milliseconds in which quotations are found before other tasks get a turn. */
const slice = 12;

/** The passages of many quotations, in parts: other tasks get a turn after 12 ms. */
export async function findQuotations(
  text: SearchableText,
  quotations: readonly Quotation[],
): Promise<(Passage | undefined)[]> {
  const passages: (Passage | undefined)[] = [];
  let began = performance.now();
  for (const quotation of quotations) {
    passages.push(findQuotation(text, quotation));
    if (performance.now() - began < slice) continue;
    await new Promise((resolve) => setTimeout(resolve));
    began = performance.now();
  }
  return passages;
}

/** A quotation without white space; `position` is that of the folded text. */
type Sought = Quotation;

/** Characters of one context that must agree at the same position: chance repeats less. */
const minAgreement = 8;
/** Occurrences before and after the position that are compared; a letter may have 100,000. */
const maxOccurrences = 150;
/** A longer quotation is certain even in another context. */
const certainLength = 40;
/** The `contextScore` (0 to 3) that a short quotation needs. */
const minContextScore = 0.4;

function find(text: string, sought: Sought): Passage | undefined {
  const { quote, position } = sought;
  if (position !== undefined && text.startsWith(quote, position)) {
    const here = { start: position, end: position + quote.length };
    const [before, after] = agreementAt(text, sought, here);
    const enough = (agreed: number, context: string) => agreed >= Math.min(minAgreement, context.length);
    if (enough(before, sought.prefix) || enough(after, sought.suffix)) return here;
  }
  const exact = findExact(text, sought);
  if (exact && (quote.length > certainLength || exact.score > minContextScore)) return exact.passage;
  const similar = findSimilar(text, sought) ?? (exact ? undefined : findBetweenContexts(text, sought));
  return similar ?? exact?.passage;
}

/** The occurrence whose context is most alike; of several the nearest. */
function findExact(text: string, sought: Sought): { passage: Passage; score: number } | undefined {
  const { quote, position = 0 } = sought;
  const starts: number[] = [];
  let at = text.lastIndexOf(quote, position);
  for (let n = 0; at >= 0 && n < maxOccurrences; n++) {
    starts.push(at);
    at = at > 0 ? text.lastIndexOf(quote, at - 1) : -1;
  }
  at = text.indexOf(quote, position + 1);
  for (let n = 0; at >= 0 && n < maxOccurrences; n++) {
    starts.push(at);
    at = text.indexOf(quote, at + 1);
  }
  return bestOf(
    starts.map((start) => ({ start, end: start + quote.length })),
    (passage) => contextScore(text, sought, passage) + nearness(text, sought, passage),
  );
}

/** The share of a quotation that may differ. */
const maxErrorShare = 0.35;
/** Characters of a long quotation that are sought at each of its ends. */
const longQuote = 512;
const endLength = 256;
/** Characters around the position that are searched for a similar passage. */
const searchedLength = 1_000_000;
/** The share of the quotation that agrees, and half of the context's score: below it, it is another passage. */
const minSimilarity = 1.2;
const maxSimilar = 200;

/** A passage that differs from the quotation in up to 35 % of its characters, in a context that is alike. */
function findSimilar(text: string, sought: Sought): Passage | undefined {
  const { quote } = sought;
  if (quote.length > longQuote) return findLongSimilar(text, sought);
  const from = Math.max(0, (sought.position ?? 0) - searchedLength / 2);
  const searched = text.slice(from, from + searchedLength);
  const matches = search(searched, quote, Math.floor(quote.length * maxErrorShare)).slice(0, maxSimilar);
  const similarities = matches.map(({ start, end, errors }) => {
    const passage = { start: from + start, end: from + end };
    const agreed = 1 - errors / quote.length;
    const context = contextScore(text, sought, passage);
    return { passage, agreed, context };
  });
  const best = bestOf(
    similarities.filter(({ agreed, context }) => agreed + context / 2 >= minSimilarity),
    ({ passage, agreed, context }) => 2 * agreed + context + nearness(text, sought, passage),
  );
  return best && withEndsOfContexts(text, sought, best.passage.passage);
}

/** The time to search for all of a long quotation grows with its length, so its two ends are found. */
function findLongSimilar(text: string, sought: Sought): Passage | undefined {
  const { quote, prefix, suffix, position } = sought;
  const [head, tail] = [quote.slice(0, endLength), quote.slice(-endLength)];
  const first = findSimilar(text, {
    quote: head,
    prefix,
    suffix: quote.slice(endLength).slice(0, contextLength),
    position,
  });
  if (!first) return undefined;
  const rest = quote.length - endLength;
  const last = findSimilar(text, {
    ...{ quote: tail, suffix, position: first.start + rest },
    prefix: quote.slice(0, rest).slice(-contextLength),
  });
  return last && isAsLong(last.end - first.start, quote) ? { start: first.start, end: last.end } : undefined;
}

const isAsLong = (length: number, quote: string) => length >= 0.5 * quote.length && length <= 1.7 * quote.length;

/** Characters of a context that name the end of a passage which a change has blurred. */
const [longestEnd, shortestEnd, endStep] = [24, 6, 6];

/** A similar passage with its ends at the contexts, if these are near. */
function withEndsOfContexts(text: string, { quote, prefix, suffix }: Sought, { start, end }: Passage): Passage {
  const reach = Math.max(longestEnd, quote.length >> 2);
  const passage = { start, end };
  for (let length = Math.min(longestEnd, prefix.length); length >= shortestEnd; length -= endStep) {
    const at = nearest(text, prefix.slice(-length), start - length, reach);
    if (at === undefined || at + length >= end) continue;
    passage.start = at + length;
    break;
  }
  for (let length = Math.min(longestEnd, suffix.length); length >= shortestEnd; length -= endStep) {
    const at = nearest(text, suffix.slice(0, length), end, reach);
    if (at === undefined || at <= passage.start) continue;
    passage.end = at;
    break;
  }
  return passage;
}

/** A share of the quotation's trigrams: text between the same contexts that has less is another. */
const minAlike = 0.3;

/** The text between the two contexts, if it is about as long as the quotation. */
function findBetweenContexts(text: string, { quote, prefix, suffix }: Sought): Passage | undefined {
  for (const length of [32, 24, 16]) {
    if (Math.min(prefix.length, suffix.length) < length) continue;
    const [before, after] = [prefix.slice(-length), suffix.slice(0, length)];
    let at = text.indexOf(before);
    for (let n = 0; at >= 0 && n < maxOccurrences; n++, at = text.indexOf(before, at + 1)) {
      const start = at + length;
      const end = text.slice(start, start + 2 * quote.length + after.length).indexOf(after) + start;
      if (end < start || !isAsLong(end - start, quote)) continue;
      if (alike(quote, text.slice(start, end)) > minAlike) return { start, end };
    }
  }
  return undefined;
}

/** How much the context of a passage is like that of the quotation: 0 to 3. */
function contextScore(text: string, sought: Sought, passage: Passage): number {
  const { start, end } = passage;
  const [before, after] = agreementAt(text, sought, passage);
  const near = contextLength + 16;
  return (
    alike(sought.prefix, text.slice(Math.max(0, start - near), start)) +
    alike(sought.suffix, text.slice(end, end + near)) +
    (before + after) / (2 * contextLength)
  );
}

/** Characters of the two contexts that agree without a gap, counted from the passage. */
function agreementAt(
  text: string,
  { prefix, suffix }: Sought,
  { start, end }: Passage,
): [before: number, after: number] {
  let before = 0;
  while (before < prefix.length && prefix.at(-1 - before) === text[start - 1 - before]) before++;
  let after = 0;
  while (after < suffix.length && suffix[after] === text[end + after]) after++;
  return [before, after];
}

/** The share of the trigrams of a text that another has: changed words lower it little. */
function alike(one: string, other: string): number {
  const last = one.length - 3;
  if (last < 0) return one === other ? 1 : 0;
  let found = 0;
  for (let i = 0; i <= last; i++) if (other.includes(one.slice(i, i + 3))) found++;
  return found / (last + 1);
}

/** Up to 0; decides between contexts that are as much alike. */
const nearness = (text: string, { position }: Sought, { start }: Passage): number =>
  position === undefined ? 0 : (-0.2 * Math.abs(start - position)) / text.length;

function bestOf<T>(
  candidates: readonly T[],
  scoreOf: (candidate: T) => number,
): { passage: T; score: number } | undefined {
  let best: { passage: T; score: number } | undefined;
  for (const passage of candidates) {
    const score = scoreOf(passage);
    if (!best || score > best.score) best = { passage, score };
  }
  return best;
}

/** The occurrence of a part that is nearest to a place, within a distance. */
function nearest(text: string, part: string, place: number, reach: number): number | undefined {
  const from = Math.max(0, place - reach);
  const searched = text.slice(from, place + reach + part.length);
  let found: number | undefined;
  for (let at = searched.indexOf(part); at >= 0; at = searched.indexOf(part, at + 1)) {
    if (found === undefined || Math.abs(from + at - place) < Math.abs(found - place)) found = from + at;
  }
  return found;
}

/** Index of the first place that is not before a position. */
function firstAtOrAfter(places: Uint32Array, position: number): number {
  let [low, high] = [0, places.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle] ?? 0) < position) low = middle + 1;
    else high = middle;
  }
  return low;
}
