// SPDX-License-Identifier: MIT

import type { LocalItem } from "@reading-list/client/main.ts";
import { keepSorted } from "./keep-sorted.ts";

const placeAdded = ({ orderAdded, timeAdded }: LocalItem) => orderAdded ?? 1000 * timeAdded.getTime();
const placeRead = ({ orderRead, timeUpdated }: LocalItem) => orderRead ?? 1000 * timeUpdated.getTime();

const sortView = (state: LocalItem["state"] | undefined, placeOf: (item: LocalItem) => number) =>
  keepSorted<LocalItem>(
    (item) => state === undefined || item.state === state,
    // `Infinity - Infinity` is NaN, which keeps the order of pages that are not sent yet.
    (a, b) => placeOf(b) - placeOf(a) || 0,
  );

/** The items of a view, newest first: archived ones by time of archiving, all others by time of adding. */
export const newestFirst = {
  unread: sortView("unread", placeAdded),
  archive: sortView("read", placeRead),
  all: sortView(undefined, placeAdded),
};

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
