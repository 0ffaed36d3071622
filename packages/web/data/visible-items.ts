// SPDX-License-Identifier: MIT

import type { LocalItem } from "@reading-list/client/main.ts";
import { starredTag } from "@reading-list/core/domain/tags.ts";
import type { Route } from "../kit/router.ts";
import type { Settings } from "../kit/settings.ts";
import { siteOf } from "../kit/web-address.ts";

/** Facts by which items are sorted and searched, of those that have a cached text. */
export interface Known {
  minutesOf(url: string): number | undefined;
  /** Chosen once for each visit, so that a random order stays. */
  seed: number;
}

/** The items of a view in its order: archived ones by time of archiving, all others by time of adding. */
export function itemsOfView(
  items: readonly LocalItem[],
  view: "unread" | "archive" | "all",
  order: Settings["order"],
  { minutesOf, seed }: Known = { minutesOf: () => undefined, seed: 0 },
): LocalItem[] {
  const state = { unread: "unread", archive: "read", all: undefined }[view];
  const placeOf = ({ orderAdded, orderRead, timeAdded, timeUpdated }: LocalItem) =>
    view === "archive" ? (orderRead ?? 1000 * timeUpdated.getTime()) : (orderAdded ?? 1000 * timeAdded.getTime());
  // `Infinity - Infinity` is NaN, which keeps the order of pages that are not sent yet.
  const shown = items
    .filter((item) => state === undefined || item.state === state)
    .sort((a, b) => placeOf(b) - placeOf(a) || 0);
  if (order === "oldest") return shown.reverse();
  if (order === "newest") return shown;
  const rankOf = ({ url, progress, timeUpdated }: LocalItem) => {
    if (order === "random") return hash(url, seed);
    // Reading on changes the item. Pages that were not begun are last.
    if (order === "lastRead") return progress ? -timeUpdated.getTime() : 0;
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

/** The items that a filter leaves. */
export function filterItems(
  items: readonly LocalItem[],
  { tag, site, length, isUntagged }: Pick<Route, "tag" | "site" | "length" | "isUntagged">,
  minutesOf: Known["minutesOf"] = () => undefined,
): readonly LocalItem[] {
  if (!tag && !site && !length && !isUntagged) return items;
  return items.filter((item) => {
    if (tag && !item.tags.includes(tag)) return false;
    if (isUntagged && item.tags.some((tag) => tag !== starredTag)) return false;
    if (site && siteOf(item.url) !== site) return false;
    return !length || lengthOf(minutesOf(item.url)) === length;
  });
}

const lengthOf = (minutes: number | undefined): Route["length"] =>
  minutes === undefined ? undefined : minutes <= 5 ? "short" : minutes <= 20 ? "medium" : "long";

/** The values of items with the number of their items, the most frequent first. */
export function countValues(items: readonly LocalItem[], valuesOf: (item: LocalItem) => readonly string[]): Count[] {
  const counts = new Map<string, number>();
  for (const item of items) for (const value of valuesOf(item)) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([a, m], [b, n]) => n - m || a.localeCompare(b));
}

export type Count = [value: string, count: number];
