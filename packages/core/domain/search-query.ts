// SPDX-License-Identifier: MIT

import type { Condition } from "./condition.ts";
import { cutWords } from "./search-words.ts";

/** Words, or one word, that a page must have, or must not have. */
export interface SearchTerm {
  text: string;
  /** Several words in this order. */
  isPhrase: boolean;
  isExcluded: boolean;
  /** It may be the beginning of a word. */
  isPrefix?: boolean;
}

/** A search (docs/api.md 4.15): a page must meet all terms and conditions. */
export interface SearchQuery {
  terms: readonly SearchTerm[];
  conditions: readonly Condition[];
  /** The last term ends the text that the user typed, and may become a longer word. */
  endsInWord: boolean;
  /** What of the search is ignored, for the person who typed it. */
  notice?: string | undefined;
}

/** Terms of a search, and words of a phrase, that count: an index needs memory and time for each. */
export const searchLimits = { terms: 30, words: 30 };

/** A shorter beginning of a word would match a large part of all words. */
const minPrefixLength = 3;

/** `-tag:"two words"`, `-"a phrase"` or `-word`; a quotation that is not closed reaches to the end. */
const partForm = /(?<minus>-?)(?:(?<name>tag|site|is|added):)?(?:"(?<quoted>[^"]*)"?|(?<bare>\S+))/giu;

/** A search that cannot be read; the message follows the name of its parameter. */
export class SearchError extends Error {
  /** The operator with a value that it does not take. */
  readonly operator: "is" | "added";

  constructor(operator: SearchError["operator"], values: string) {
    super(`has an unknown ${operator}: filter; use ${values}`);
    this.operator = operator;
  }
}

/** Parses the text that a user typed: each term once. Throws a SearchError. */
export function parseSearch(query: string): SearchQuery {
  const found: SearchTerm[] = [];
  const conditions: Condition[] = [];
  for (const { groups = {} } of query.matchAll(partForm)) {
    const isExcluded = groups.minus === "-";
    const text = groups.quoted ?? groups.bare ?? "";
    if (groups.name) {
      const condition = parseOperator(groups.name.toLowerCase(), text);
      conditions.push(isExcluded ? { kind: "not", condition } : condition);
    } else if (/[\p{L}\p{N}]/u.test(text)) found.push({ text, isPhrase: groups.quoted !== undefined, isExcluded });
  }
  const byKey = new Map<string, SearchTerm>();
  for (const term of found) if (!byKey.has(termKey(term))) byKey.set(termKey(term), term);
  const distinct = [...byKey.values()];
  const terms = distinct
    .slice(0, searchLimits.terms)
    .map((term) => ({ ...term, text: cutWords(term.text, searchLimits.words) }));
  const hasAllTerms = distinct.length === terms.length;
  const hasAllWords = terms.every(({ text }, i) => text === distinct[i]?.text);
  const last = found.at(-1);
  const isLast = last !== undefined && hasAllTerms && last === distinct.at(-1) && last.text === terms.at(-1)?.text;
  const endsInWord = isLast && !last.isPhrase && !last.isExcluded && query.endsWith(last.text);
  const counted = [
    ...(hasAllTerms ? [] : [`the first ${searchLimits.terms} terms`]),
    ...(hasAllWords ? [] : [`the first ${searchLimits.words} words of a phrase`]),
  ];
  const notice = counted.length > 0 ? `search: only ${counted.join(" and ")} count` : undefined;
  return { terms, conditions, endsInWord, notice };
}

/** The same for terms that mean the same, except for words that only the index folds. */
const termKey = ({ text, isExcluded }: SearchTerm) => `${isExcluded} ${text.normalize("NFKC").toLowerCase()}`;

/** The same search whose last word, if it has three characters, may be a beginning. */
export function withPrefix(query: SearchQuery): SearchQuery {
  const last = query.terms.at(-1);
  if (!last || !query.endsInWord || [...last.text].length < minPrefixLength) return query;
  return { ...query, terms: [...query.terms.slice(0, -1), { ...last, isPrefix: true }] };
}

function parseOperator(name: string, text: string): Condition {
  switch (name) {
    case "tag":
      return { kind: "tag", tag: text };
    case "site":
      return { kind: "site", site: text };
    case "added":
      return { kind: "added", ...parseSpan(text) };
    default:
      return parseState(text.toLowerCase());
  }
}

function parseState(word: string): Condition {
  if (word === "starred") return { kind: "starred" };
  if (word === "unread") return { kind: "state", state: "0" };
  if (word === "read" || word === "archived") return { kind: "state", state: "1" };
  throw new SearchError("is", "is:unread, is:read, is:archived or is:starred");
}

/** A year, a month or a day in UTC, or a span between two of them; one end may be missing. */
function parseSpan(text: string): { from: number; to: number } {
  const [first = "", second = first] = text.toLowerCase().split("..");
  const from = first === "" ? 0 : parsePeriod(first);
  const to = second === "" ? Number.MAX_SAFE_INTEGER : parsePeriod(second, { isNext: true }) - 1;
  if (Number.isFinite(from) && Number.isFinite(to)) return { from, to };
  throw new SearchError("added", "YYYY, YYYY-MM, YYYY-MM-DD, or two of them with .. between");
}

/** The second at which a period begins, or the next one; NaN if the text is not a period. */
function parsePeriod(period: string, { isNext } = { isNext: false }): number {
  if (!/^\d{4}(-\d\d){0,2}$/.test(period)) return Number.NaN;
  const parts = period.split("-").map(Number);
  const [year = 0, month = 1, day = 1] = parts;
  const begins = new Date(Date.UTC(year, month - 1, day));
  // JavaScript takes 30 February for a day in March.
  if (!begins.toISOString().startsWith(period)) return Number.NaN;
  if (!isNext) return begins.getTime() / 1000;
  const next = parts.with(-1, (parts.at(-1) ?? 0) + 1);
  return Date.UTC(next[0] ?? 0, (next[1] ?? 1) - 1, next[2] ?? 1) / 1000;
}
