// SPDX-License-Identifier: MIT

import type { LocalItem } from "@reading-list/client/main.ts";
import { starredTag } from "@reading-list/core/domain/tags.ts";
import type { Route } from "../kit/router.ts";
import type { Settings } from "../kit/settings.ts";
import { siteOf } from "../kit/site-of.ts";

/** Facts by which items are sorted and searched, of those that have a cached text. */
export interface Known {
  minutesOf(url: string): number | undefined;
  /** Chosen once for each visit, so that a random order stays. */
  seed: number;
}

/** The items of a view in its order: unread ones by time of adding, archived ones by time of archiving. */
export function itemsOfView(
  items: readonly LocalItem[],
  view: "unread" | "archive",
  order: Settings["order"],
  { minutesOf, seed }: Known = { minutesOf: () => undefined, seed: 0 },
): LocalItem[] {
  const state = view === "archive" ? "read" : "unread";
  const placeOf = ({ orderAdded, orderRead, timeAdded, timeUpdated }: LocalItem) =>
    state === "unread" ? (orderAdded ?? 1000 * timeAdded.getTime()) : (orderRead ?? 1000 * timeUpdated.getTime());
  // `Infinity - Infinity` is NaN, which keeps the order of pages that are not sent yet.
  const shown = items.filter((item) => item.state === state).sort((a, b) => placeOf(b) - placeOf(a) || 0);
  if (order === "oldest") return shown.reverse();
  if (order === "newest") return shown;
  const rankOf = ({ url }: LocalItem) => {
    if (order === "random") return hash(url, seed);
    const minutes = minutesOf(url);
    // Pages of unknown length are last.
    return minutes === undefined ? Number.POSITIVE_INFINITY : order === "shortest" ? minutes : -minutes;
  };
  const ranks = new Map(shown.map((item) => [item, rankOf(item)]));
  return shown.sort((a, b) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0) || 0);
}

function hash(text: string, seed: number): number {
  let value = seed;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value;
}

/**
 * The items that a filter leaves; `search` is found in the title, the URL, the tags and the cached text. `texts` are the
 * cached texts by URL, folded by `foldCase`.
 */
export function filterItems(
  items: readonly LocalItem[],
  { tag, site, length, isUntagged, search = "" }: Omit<Route, "view" | "article">,
  minutesOf: Known["minutesOf"] = () => undefined,
  texts: ReadonlyMap<string, string> = new Map(),
): readonly LocalItem[] {
  const words = foldCase(search).split(/\s+/).filter(Boolean);
  if (words.length === 0 && !tag && !site && !length && !isUntagged) return items;
  return items.filter((item) => {
    if (tag && !item.tags.includes(tag)) return false;
    if (isUntagged && item.tags.some((tag) => tag !== starredTag)) return false;
    if (site && siteOf(item.url) !== site) return false;
    if (length && lengthOf(minutesOf(item.url)) !== length) return false;
    const fields = wordsOf(item);
    return words.every((word) => fields.includes(word) || texts.get(item.url)?.includes(word));
  });
}

const lengthOf = (minutes: number | undefined): Route["length"] =>
  minutes === undefined ? undefined : minutes <= 5 ? "short" : minutes <= 20 ? "medium" : "long";

const folded = new WeakMap<LocalItem, string>();

function wordsOf(item: LocalItem): string {
  let words = folded.get(item);
  if (words === undefined) {
    words = foldCase(`${item.title}\n${item.url}\n${item.tags.join("\n")}`);
    folded.set(item, words);
  }
  return words;
}

/** Lower case without diacritics. */
export const foldCase = (text: string) => text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();

/** The values of items with the number of their items, the most frequent first. */
export function countValues(items: readonly LocalItem[], valuesOf: (item: LocalItem) => readonly string[]): Count[] {
  const counts = new Map<string, number>();
  for (const item of items) for (const value of valuesOf(item)) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([a, m], [b, n]) => n - m || a.localeCompare(b));
}

export type Count = [value: string, count: number];
