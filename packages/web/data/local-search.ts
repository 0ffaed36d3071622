// SPDX-License-Identifier: MIT

import type { LocalItem } from "@reading-list/client/main.ts";
import {
  parseSearch,
  SearchError,
  type SearchFilter,
  type SearchQuery,
  type SearchTerm,
} from "@reading-list/core/domain/search-query.ts";
import { starredTag } from "@reading-list/core/domain/tags.ts";
import { foldCase, type SearchableText } from "../kit/plain-text.ts";
import { siteOf } from "../kit/web-address.ts";

/** A search as it was read: `fault` is the operator that cannot be read, and without both nothing is searched for. */
export interface ParsedSearch {
  query?: SearchQuery;
  fault?: SearchError["operator"];
}

export function parse(search: string): ParsedSearch {
  try {
    const query = parseSearch(search);
    return query.terms.length + query.filters.length > 0 ? { query } : {};
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
  /** This device has no text of them, and that may have an excluded word. */
  unsure: LocalItem[];
}

/** Searches titles, URLs, tags and the texts of this device. A part of a word is enough, but not for `-without`. */
export function findItems(
  items: readonly LocalItem[],
  { terms, filters }: SearchQuery,
  texts: ReadonlyMap<string, SearchableText>,
): LocalFindings {
  const findings: LocalFindings = { byFields: [], byText: [], unsure: [] };
  const wanted = terms.filter(({ isExcluded }) => !isExcluded).map(foldTerm);
  const excluded = terms.filter(({ isExcluded }) => isExcluded).map(foldTerm);
  for (const item of items) {
    if (!filters.every((filter) => meets(item, filter))) continue;
    const fields = fieldsOf(item);
    const text = texts.get(item.url)?.folded;
    const isFound = wanted.every((word) => fields.includes(word) || text?.includes(word));
    if (!isFound || excluded.some((word) => hasWord(fields, word) || hasWord(text ?? "", word))) continue;
    if (excluded.length > 0 && text === undefined) findings.unsure.push(item);
    else if (wanted.every((word) => fields.includes(word))) findings.byFields.push(item);
    else findings.byText.push(item);
  }
  return findings;
}

const foldTerm = ({ text }: SearchTerm) => foldCase(text).replaceAll(/\s+/g, " ").trim();

const folded = new WeakMap<LocalItem, string>();

function fieldsOf(item: LocalItem): string {
  let fields = folded.get(item);
  if (fields === undefined) {
    fields = foldCase(`${item.title}\n${item.url}\n${item.tags.join("\n")}`);
    folded.set(item, fields);
  }
  return fields;
}

/** Characters of words that are written apart; in other scripts each part counts as a word. */
const ofWord = /[\p{L}\p{N}]/u;
const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]/u;

function hasWord(text: string, word: string): boolean {
  const isPart = unspaced.test(word);
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (isPart || !(ofWord.test(text[at - 1] ?? "") || ofWord.test(text[at + word.length] ?? ""))) return true;
  }
  return false;
}

function meets(item: LocalItem, { isExcluded, condition }: SearchFilter): boolean {
  const isMet = () => {
    switch (condition.kind) {
      case "tag":
        return item.tags.some((tag) => foldCase(tag) === foldCase(condition.tag));
      case "site":
        return `.${siteOf(item.url)}`.endsWith(`.${condition.site}`);
      case "state":
        return (item.state === "read") === (condition.state === "1");
      case "starred":
        return item.tags.includes(starredTag);
      case "added": {
        const added = item.timeAdded.getTime() / 1000;
        return added >= condition.from && added <= condition.to;
      }
    }
  };
  return isMet() !== isExcluded;
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
  const words = plain.length === folded.length ? terms.filter(({ isExcluded }) => !isExcluded).map(foldTerm) : [];
  const first = Math.min(...words.map((word) => folded.indexOf(word)).filter((at) => at >= 0));
  const start = Number.isFinite(first) ? Math.max(0, first - 2 * lead) : 0;
  const shown = folded.slice(start, start + snippetLength);
  const marks: [number, number][] = [];
  for (const word of words) {
    for (let at = shown.indexOf(word); at >= 0 && word; at = shown.indexOf(word, at + word.length))
      marks.push([at, word.length]);
  }
  return partsOf(plain.slice(start, start + snippetLength), marks);
}

/** The parts of a text between and at its marks, of which some may overlap, from some words before the first one. */
export function partsOf(text: string, marks: readonly (readonly [from: number, length: number])[]): SnippetPart[] {
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
