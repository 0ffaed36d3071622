// SPDX-License-Identifier: MIT

import type { LocalItem } from "@reading-list/client/main.ts";
import { toMatcher } from "@reading-list/core/domain/condition.ts";
import { fold } from "@reading-list/core/domain/fold.ts";
import { parseSearch, SearchError, type SearchQuery } from "@reading-list/core/domain/search-query.ts";
import { foldTerm, hasTerms } from "@reading-list/core/domain/search-terms.ts";
import { doAtOnce, doInTurns } from "@reading-list/core/domain/turns.ts";
import type { SearchableText } from "../kit/searchable-text.ts";
import { itemFacts } from "./filter-items.ts";
import type { ServiceAnswer } from "./service-search.ts";

/** A search as it was read: `fault` is the operator that cannot be read, and without both nothing is searched for. */
export interface ParsedSearch {
  query?: SearchQuery;
  fault?: SearchError["operator"];
}

export function parse(search: string): ParsedSearch {
  try {
    const query = parseSearch(search);
    return query.terms.length + query.conditions.length > 0 ? { query } : {};
  } catch (error) {
    if (error instanceof SearchError) return { fault: error.operator };
    throw error;
  }
}

/** The pages of this device that meet a search. */
export interface LocalFindings {
  /** Title, URL and tags have all words. */
  byFields: LocalItem[];
  /** The text is needed, too. */
  byText: LocalItem[];
  /** This device has no text of them, and the text may contain an excluded word. */
  unsure: LocalItem[];
}

/** Searches titles, URLs, tags, and the texts and notes (by URL) of this device. A part of a word is enough, but not for `-without`. */
export function findItems(
  items: readonly LocalItem[],
  { terms, conditions }: SearchQuery,
  texts: ReadonlyMap<string, SearchableText>,
  notes: ReadonlyMap<string, string> = new Map(),
): LocalFindings {
  const findings: LocalFindings = { byFields: [], byText: [], unsure: [] };
  const words = terms.map(foldTerm);
  const wanted = words.filter(({ isExcluded }) => !isExcluded);
  const meets = toMatcher({ kind: "all", conditions });
  const folded = foldedLists.get(items) ?? doAtOnce(foldFields(items));
  for (const [place, item] of items.entries()) {
    // Without conditions, no facts are needed: computing them for a whole list takes long.
    if (conditions.length > 0 && !meets(itemFacts(item))) continue;
    const note = notes.get(item.url);
    const fields = `${folded[place]}${note ? `\n${fold(note)}` : ""}`;
    const text = texts.get(item.url)?.folded;
    if (text === undefined) {
      // Most items: their fields are searched once.
      if (hasTerms([fields], words)) (wanted.length < words.length ? findings.unsure : findings.byFields).push(item);
    } else if (hasTerms([fields, text], words)) {
      (hasTerms([fields], wanted) ? findings.byFields : findings.byText).push(item);
    }
  }
  return findings;
}

/** The folded fields of a list, in its order, while someone searches it: an entry for each item takes three times as long. */
const foldedLists = new WeakMap<readonly LocalItem[], readonly string[]>();

/** Folds the fields of a list that will be searched, so that the first letter only compares them. */
export async function expectSearch(items: readonly LocalItem[]): Promise<void> {
  if (!foldedLists.has(items)) await doInTurns(foldFields(items));
}

function* foldFields(items: readonly LocalItem[]): Generator<void, readonly string[]> {
  const folded: string[] = [];
  for (const { title, url, tags } of items) {
    folded.push(fold(`${title}\n${url}\n${tags.join("\n")}`));
    yield;
  }
  foldedLists.set(items, folded);
  return folded;
}

/** States in which pages may be shown that the service would not have found. */
const withoutService: readonly ServiceAnswer["state"][] = ["none", "offline", "spared", "unsupported", "failed"];

/**
 * The pages that this device has found, and those that the service has found among all `items`. Pages that are already
 * `shown` keep their places; others follow.
 */
export function joinFindings(
  { byFields, byText, unsure }: LocalFindings,
  state: ServiceAnswer["state"],
  items: readonly LocalItem[],
  served: ReadonlyMap<string | undefined, unknown>,
  shown: readonly LocalItem[],
): readonly LocalItem[] {
  const here = [...byFields, ...byText];
  const wanted = served.size > 0 ? items.filter(({ itemId }) => served.has(itemId)) : [];
  const byId = new Map(wanted.map((item) => [item.itemId, item]));
  const further = [
    ...[...served.keys()].flatMap((itemId) => byId.get(itemId) ?? []),
    ...(withoutService.includes(state) ? unsure : []),
  ];
  return keepPlaces(further.length > 0 ? [...new Set([...here, ...further])] : here, shown);
}

/** Items: first those already on the screen, in the same order. */
export function keepPlaces(items: readonly LocalItem[], shown: readonly LocalItem[]): readonly LocalItem[] {
  // Mostly there is nothing to move; the maps of a long list take longer than its search.
  if (shown.every(({ url }, place) => items[place]?.url === url)) return items;
  const byUrl = new Map(items.map((item) => [item.url, item]));
  const kept = shown.flatMap(({ url }) => byUrl.get(url) ?? []);
  return [...new Set([...kept, ...items])];
}

/** A piece of a text, and whether it is a word of the search. */
export interface SnippetPart {
  text: string;
  isFound: boolean;
}

/** Characters of a snippet of this device, and of those before the first word: two lines of a phone show it. */
const snippetLength = 200;
const lead = 30;

/** The part of a text that has the first word of a search, or its beginning. */
export function cutSnippet({ plain, folded }: SearchableText, { terms }: SearchQuery): SnippetPart[] {
  // Folding has removed characters: places in the two texts differ.
  const words =
    plain.length === folded.length
      ? terms.filter(({ isExcluded }) => !isExcluded).map((term) => foldTerm(term).text)
      : [];
  const first = Math.min(...words.map((word) => folded.indexOf(word)).filter((at) => at >= 0));
  const start = Number.isFinite(first) ? Math.max(0, first - 2 * lead) : 0;
  const shown = folded.slice(start, start + snippetLength);
  const marks: [number, number][] = [];
  for (const word of words) {
    for (let at = shown.indexOf(word); at >= 0 && word; at = shown.indexOf(word, at + word.length))
      marks.push([at, word.length]);
  }
  return splitSnippet(plain.slice(start, start + snippetLength), marks);
}

/** The parts of a text between and at its marks, starting some words before the first mark. Marks may overlap. */
export function splitSnippet(text: string, marks: readonly (readonly [from: number, length: number])[]): SnippetPart[] {
  const inOrder = [...marks].sort(([a], [b]) => a - b);
  const [first = 0] = inOrder[0] ?? [];
  const parts: SnippetPart[] = [];
  let end = first > lead ? text.lastIndexOf(" ", first - lead) + 1 : 0;
  if (end > 0) parts.push({ text: "…", isFound: false });
  for (const [from, length] of inOrder) {
    if (from < end) continue;
    if (from > end) parts.push({ text: text.slice(end, from), isFound: false });
    parts.push({ text: text.slice(from, from + length), isFound: true });
    end = from + length;
  }
  if (end < text.length) parts.push({ text: text.slice(end), isFound: false });
  return parts;
}
