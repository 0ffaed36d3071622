// SPDX-License-Identifier: MIT

import { type BlockBreak, separateBlocks } from "./block-breaks.ts";
import { SimilarityMatcher } from "./similarity-matcher.ts";
import { doInTurns } from "./turns.ts";
import { firstAtOrAfter, type Passage, type SearchableText, searchableText } from "./visible-text.ts";

/** A passage of a text, so that it is found again after the text has changed (W3C TextQuoteSelector, TextPositionSelector). */
export interface Quotation {
  quote: string;
  /** Up to `contextLength` characters before and after it. */
  prefix: string;
  suffix: string;
  /** UTF-16 units before it in the text that was quoted; absent if unknown. */
  position?: number | undefined;
}

/** UTF-16 units of a quotation's `prefix` and `suffix`. */
export const contextLength = 64;

/** The quotation of a passage of joined text nodes. Blocks are separated; `position` counts no separator. */
export function quotationAt(text: string, { start, end }: Passage, breaks: readonly BlockBreak[] = []): Quotation {
  const separated = (from: number, to: number) =>
    separateBlocks(text.slice(from, to), text, { start: from, end: to }, breaks);
  return {
    quote: separated(start, end),
    // Half of a surrogate pair is not a character.
    prefix: separated(Math.max(0, start - contextLength), start)
      .slice(-contextLength)
      .replace(/^[\udc00-\udfff]/, ""),
    suffix: separated(end, Math.min(text.length, end + contextLength))
      .slice(0, contextLength)
      .replace(/[\ud800-\udbff]$/, ""),
    position: start,
  };
}

/**
 * The maximum work for the quotations of one answer, in compared characters: about 2 s. Further quotations are found
 * only at their positions.
 */
export class QuotationBudget {
  left: number;

  constructor(characters = 1_000_000_000) {
    this.left = characters;
  }
}

/** The passage of a quotation in a text; see `findQuotations`. */
export const findQuotation = async (text: SearchableText, quotation: Quotation): Promise<Passage | undefined> =>
  (await findQuotations(text, [quotation]))[0];

/**
 * The passages of quotations in a text; undefined if the text no longer contains one. Tries the position, then the
 * quotation, then a similar text, each in its context. Yields to other tasks meanwhile.
 */
export const findQuotations = (
  text: SearchableText,
  quotations: readonly Quotation[],
  budget = new QuotationBudget(),
): Promise<(Passage | undefined)[]> => doInTurns(searchForQuotations(text, quotations, budget));

/** Characters that `findQuotationAtOnce` compares: some 20 ms. */
const workAtOnce = 10_000_000;

/** As `findQuotation`, in one turn of the event loop; undefined if that would take more than some 20 ms. */
export function findQuotationAtOnce(text: SearchableText, quotation: Quotation): Passage | undefined {
  const budget = new QuotationBudget(workAtOnce);
  const search = searchForQuotations(text, [quotation], budget);
  let step = search.next();
  while (!step.done && budget.left > 0) step = search.next();
  return step.done ? step.value[0] : undefined;
}

/** Yields after each step, of at most 2 ms, the characters that it has compared. */
export function* searchForQuotations(
  text: SearchableText,
  quotations: readonly Quotation[],
  budget: QuotationBudget,
): Generator<number, (Passage | undefined)[]> {
  const passages: (Passage | undefined)[] = [];
  for (const quotation of quotations) {
    const search = searchForQuotation(text, quotation, budget);
    let step = search.next();
    for (; !step.done; step = search.next()) {
      budget.left -= step.value;
      yield step.value;
    }
    passages.push(step.value);
  }
  return passages;
}

/** Yields the characters that it has compared. */
type Search<Result> = Generator<number, Result>;

function* searchForQuotation(
  { folded, places }: SearchableText,
  quotation: Quotation,
  budget: QuotationBudget,
): Search<Passage | undefined> {
  const fold = (part: string) => searchableText(part).folded;
  const sought: Sought = {
    quote: fold(quotation.quote),
    prefix: fold(quotation.prefix),
    suffix: fold(quotation.suffix),
    position: quotation.position === undefined ? undefined : firstAtOrAfter(places, quotation.position),
  };
  yield sought.quote.length;
  const found = sought.quote ? yield* find(folded, sought, budget) : undefined;
  return found && { start: places[found.start] ?? 0, end: (places[found.end - 1] ?? 0) + 1 };
}

/** A quotation without white space; `position` is in the folded text. */
type Sought = Quotation;

/** Characters of one context that must agree at the same position: chance repeats less. */
const minAgreement = 8;
/** Occurrences before and after the position that are compared; a letter may have 100,000. */
const maxOccurrences = 150;
/** A longer quotation is certain even in another context. */
const certainLength = 40;
/** The `contextScore` (0 to 3) that a short quotation needs. */
const minContextScore = 0.4;

function* find(text: string, sought: Sought, budget: QuotationBudget): Search<Passage | undefined> {
  const { quote, position } = sought;
  if (position !== undefined && text.startsWith(quote, position)) {
    const here = { start: position, end: position + quote.length };
    const [before, after] = agreementAt(text, sought, here);
    const enough = (agreed: number, context: string) => agreed >= Math.min(minAgreement, context.length);
    if (enough(before, sought.prefix) || enough(after, sought.suffix)) return here;
  }
  if (budget.left <= 0) return undefined;
  const exact = yield* findExact(text, sought);
  if (exact && (quote.length > certainLength || exact.score > minContextScore)) return exact.passage;
  const similar = (yield* findSimilar(text, sought)) ?? (exact ? undefined : yield* findBetweenContexts(text, sought));
  return similar ?? exact?.passage;
}

/** The occurrence whose context is most alike; of several the nearest. */
function* findExact(text: string, sought: Sought): Search<{ passage: Passage; score: number } | undefined> {
  const { quote, position = 0 } = sought;
  const starts = yield* findOccurrences(text, quote, position);
  return yield* findBest(
    starts.map((start) => ({ start, end: start + quote.length })),
    (passage) => contextScore(text, sought, passage) + nearness(text, sought, passage),
  );
}

/** Characters that are compared between two yields. */
const charactersOfStep = 100_000;

/**
 * Up to 150 starts of a part before a position, and as many after it, in linear time, which `indexOf` does not promise
 * (Knuth, Morris and Pratt: `borders` has the longest proper prefix of each beginning that is its end, too).
 */
function* findOccurrences(text: string, part: string, position: number): Search<number[]> {
  const borders = new Uint32Array(part.length + 1);
  for (let length = 1, border = 0; length < part.length; length++) {
    while (border > 0 && part.charCodeAt(border) !== part.charCodeAt(length)) border = borders[border] as number;
    if (part.charCodeAt(border) === part.charCodeAt(length)) border++;
    borders[length + 1] = border;
  }
  const before: number[] = [];
  const after: number[] = [];
  let matched = 0;
  for (let from = 0; from < text.length && after.length < maxOccurrences; from += charactersOfStep) {
    const to = Math.min(text.length, from + charactersOfStep);
    for (let i = from; i < to; i++) {
      const code = text.charCodeAt(i);
      while (matched > 0 && part.charCodeAt(matched) !== code) matched = borders[matched] as number;
      if (part.charCodeAt(matched) === code) matched++;
      if (matched < part.length) continue;
      matched = borders[matched] as number;
      const start = i + 1 - part.length;
      if (start <= position) before.push(start);
      else if (after.push(start) === maxOccurrences) break;
    }
    before.splice(0, before.length - maxOccurrences);
    yield to - from;
  }
  return [...before, ...after];
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
const maxSimilar = 100;

/** A passage that differs from the quotation in up to 35 % of its characters, in a context that is alike. */
function* findSimilar(text: string, sought: Sought): Search<Passage | undefined> {
  const { quote, position = 0 } = sought;
  if (quote.length > longQuote) return yield* findLongSimilar(text, sought);
  const from = Math.max(0, position - searchedLength / 2);
  const to = Math.min(text.length, from + searchedLength);
  const { ends, errors } = yield* findSimilarEnds(text, quote, { from, to, position });
  const agreed = 1 - errors / quote.length;
  const similarities: { passage: Passage; context: number }[] = [];
  for (const end of ends) {
    const passage = { start: yield* findSimilarStart(text, quote, { from, end, errors }), end };
    const context = contextScore(text, sought, passage);
    if (agreed + context / 2 >= minSimilarity) similarities.push({ passage, context });
  }
  const best = yield* findBest(
    similarities,
    ({ passage, context }) => 2 * agreed + context + nearness(text, sought, passage),
  );
  return best && withEndsOfContexts(text, sought, best.passage.passage);
}

/** The ends of the passages with the fewest errors, up to 100 on each side of a position. */
function* findSimilarEnds(
  text: string,
  quote: string,
  { from, to, position }: { from: number; to: number; position: number },
): Search<{ ends: number[]; errors: number }> {
  const matcher = new SimilarityMatcher(quote, Math.floor(quote.length * maxErrorShare));
  let before: number[] = [];
  let after: number[] = [];
  const charactersAtOnce = Math.ceil(charactersOfStep / matcher.maxWork);
  for (let start = from; start < to; start += charactersAtOnce) {
    const workBefore = matcher.work;
    const end = Math.min(to, start + charactersAtOnce);
    for (let i = start; i < end; i++) {
      const errors = matcher.advance(text.charCodeAt(i));
      if (errors > matcher.maxErrors) continue;
      if (errors < matcher.maxErrors) [matcher.maxErrors, before, after] = [errors, [], []];
      if (i < position) before.push(i + 1);
      else if (after.length < maxSimilar) after.push(i + 1);
    }
    before.splice(0, before.length - maxSimilar);
    yield matcher.work - workBefore;
  }
  return { ends: [...before, ...after], errors: matcher.maxErrors };
}

/** The start of the longest passage with so many errors that has this end: the search backwards. */
function* findSimilarStart(
  text: string,
  quote: string,
  { from, end, errors }: { from: number; end: number; errors: number },
): Search<number> {
  const matcher = new SimilarityMatcher(reverse(quote), errors);
  const first = Math.max(from, end - quote.length - errors);
  let start = end;
  for (let i = end - 1; i >= first; i--) if (matcher.advance(text.charCodeAt(i)) <= errors) start = i;
  yield matcher.work;
  return start;
}

const reverse = (text: string) => text.split("").reverse().join("");

/** The time to search for all of a long quotation grows with its length, so its two ends are found. */
function* findLongSimilar(text: string, sought: Sought): Search<Passage | undefined> {
  const { quote, prefix, suffix, position } = sought;
  const [head, tail] = [quote.slice(0, endLength), quote.slice(-endLength)];
  const first = yield* findSimilar(text, {
    quote: head,
    prefix,
    suffix: quote.slice(endLength).slice(0, contextLength),
    position,
  });
  if (!first) return undefined;
  const rest = quote.length - endLength;
  const last = yield* findSimilar(text, {
    quote: tail,
    suffix,
    position: first.start + rest,
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
function* findBetweenContexts(text: string, { quote, prefix, suffix }: Sought): Search<Passage | undefined> {
  for (const length of [32, 24, 16]) {
    if (Math.min(prefix.length, suffix.length) < length) continue;
    const [before, after] = [prefix.slice(-length), suffix.slice(0, length)];
    for (const at of yield* findOccurrences(text, before, 0)) {
      const start = at + length;
      const searched = text.slice(start, start + 2 * quote.length + after.length);
      const end = searched.indexOf(after) + start;
      yield 4 * searched.length;
      if (end < start || !isAsLong(end - start, quote)) continue;
      // A trigram costs as much as 50 comparisons.
      yield 50 * quote.length;
      if (alike(quote, text.slice(start, end)) > minAlike) return { start, end };
    }
  }
  return undefined;
}

/** How similar the contexts of a passage and the quotation are: 0 to 3. */
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
  const trigrams = new Set<string>();
  for (let i = 0; i <= other.length - 3; i++) trigrams.add(other.slice(i, i + 3));
  let found = 0;
  for (let i = 0; i <= last; i++) if (trigrams.has(one.slice(i, i + 3))) found++;
  return found / (last + 1);
}

/** Up to 0; decides between contexts that are as much alike. */
const nearness = (text: string, { position }: Sought, { start }: Passage): number =>
  position === undefined ? 0 : (-0.2 * Math.abs(start - position)) / text.length;

/** Comparisons as which a context counts. */
const costOfContext = 10_000;

function* findBest<T>(
  candidates: readonly T[],
  scoreOf: (candidate: T) => number,
): Search<{ passage: T; score: number } | undefined> {
  let best: { passage: T; score: number } | undefined;
  for (const passage of candidates) {
    const score = scoreOf(passage);
    if (!best || score > best.score) best = { passage, score };
    yield costOfContext;
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
