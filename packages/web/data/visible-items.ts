// SPDX-License-Identifier: MIT

import type { LocalItem } from "@reading-list/client/main.ts";
import type { Settings } from "../kit/settings.ts";
import { keepSorted } from "./keep-sorted.ts";

/** Facts of items with a cached text, for sorting and searching. */
export interface Known {
  minutesOf(url: string): number | undefined;
  /** Chosen once for each visit, so that a random order stays. */
  seed: number;
}

const placeAdded = ({ orderAdded, timeAdded }: LocalItem) => orderAdded ?? 1000 * timeAdded.getTime();
const placeRead = ({ orderRead, timeUpdated }: LocalItem) => orderRead ?? 1000 * timeUpdated.getTime();

const sortView = (state: LocalItem["state"] | undefined, placeOf: (item: LocalItem) => number) =>
  keepSorted<LocalItem>(
    (item) => state === undefined || item.state === state,
    // `Infinity - Infinity` is NaN, which keeps the order of pages that are not sent yet.
    (a, b) => placeOf(b) - placeOf(a) || 0,
  );
const newestFirst = {
  unread: sortView("unread", placeAdded),
  archive: sortView("read", placeRead),
  all: sortView(undefined, placeAdded),
};

/** The items of a view in its order: archived ones by time of archiving, all others by time of adding. */
export function itemsOfView(
  items: readonly LocalItem[],
  view: "unread" | "archive" | "all",
  order: Settings["order"],
  { minutesOf, seed }: Known = { minutesOf: () => undefined, seed: 0 },
): readonly LocalItem[] {
  const shown = newestFirst[view](items);
  if (order === "oldest") return shown.toReversed();
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
  return shown.toSorted((a, b) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0) || 0);
}

/** A hash of 32 bits. */
export function hash(text: string, seed: number): number {
  let value = seed;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value;
}

/** The values of items with the number of their items, the most frequent first. */
export function countValues(items: readonly LocalItem[], valuesOf: (item: LocalItem) => readonly string[]): Count[] {
  const counts = new Map<string, number>();
  for (const item of items) for (const value of valuesOf(item)) counts.set(value, (counts.get(value) ?? 0) + 1);
  return mostFrequentFirst(counts);
}

export const mostFrequentFirst = (counts: ReadonlyMap<string, number>): Count[] =>
  [...counts].sort((a, b) => b[1] - a[1] || byName(a, b));

const { compare } = new Intl.Collator(undefined, { numeric: true });

/** Orders values as people do: 2 before 10. */
export const byName = ([a]: Count, [b]: Count): number => compare(a, b);

export type Count = [value: string, count: number];
