// SPDX-License-Identifier: MIT

import type { LocalItem } from "@reading-list/client/main.ts";
import { type Condition, type PageFacts, toMatcher } from "@reading-list/core/domain/condition.ts";
import type { Filter } from "../kit/router.ts";
import type { Settings } from "../kit/settings.ts";
import { findSite } from "../kit/web-address.ts";
import { type Count, mostFrequentFirst } from "./visible-items.ts";

/** Facts of items with a cached text, for sorting and searching. */
export interface Known {
  findMinutes(url: string): number | undefined;
  /** Chosen once for each visit, so that a random order stays. */
  seed: number;
}

/** An item of this device as conditions see it. */
export const itemFacts = (
  { url, tags, state, timeAdded }: LocalItem,
  findMinutes?: Known["findMinutes"],
): PageFacts => ({
  tags,
  state: state === "read" ? "1" : "0",
  timeAdded: timeAdded.getTime() / 1000,
  site: findSite(url),
  minutes: findMinutes?.(url),
});

/** The items that a filter leaves. */
export function filterItems(
  items: readonly LocalItem[],
  { tag, site, length, isUntagged }: Filter,
  findMinutes?: Known["findMinutes"],
): readonly LocalItem[] {
  const conditions: Condition[] = [];
  if (tag) conditions.push({ kind: "tag", tag });
  if (isUntagged) conditions.push({ kind: "untagged" });
  if (site) conditions.push({ kind: "site", site });
  if (length) conditions.push({ kind: "length", length });
  const meets = toMatcher({ kind: "all", conditions });
  return items.filter((item) => meets(itemFacts(item, findMinutes)));
}

/** Items, which are in their own order, in another one. */
export function orderItems(
  newestFirst: readonly LocalItem[],
  order: Settings["order"],
  { findMinutes, seed }: Known,
): readonly LocalItem[] {
  if (order === "newest") return newestFirst;
  if (order === "oldest") return newestFirst.toReversed();
  const rank = ({ url, progress, timeUpdated }: LocalItem) => {
    if (order === "random") return hash(url, seed);
    // Reading on changes the item. Pages that were not begun are last.
    if (order === "lastRead") return progress ? -timeUpdated.getTime() : 0;
    const minutes = findMinutes(url);
    // Pages of unknown length are last.
    return minutes === undefined ? Number.POSITIVE_INFINITY : order === "shortest" ? minutes : -minutes;
  };
  const ranks = new Map(newestFirst.map((item) => [item, rank(item)]));
  return newestFirst.toSorted((a, b) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0) || 0);
}

/** A hash of 32 bits. */
export function hash(text: string, seed: number): number {
  let value = seed;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value;
}

/** The sites of items; as the filter of a site, one has the pages of the domains below it, too. */
export function countSites(items: readonly LocalItem[]): Count[] {
  const pages = new Map<string, number>();
  for (const item of items) {
    const site = findSite(item.url);
    pages.set(site, (pages.get(site) ?? 0) + 1);
  }
  const counts = new Map<string, number>();
  for (const [site, number] of pages) {
    const labels = site.split(".");
    for (const at of labels.keys()) {
      const domain = labels.slice(at).join(".");
      if (pages.has(domain)) counts.set(domain, (counts.get(domain) ?? 0) + number);
    }
  }
  return mostFrequentFirst(counts);
}
