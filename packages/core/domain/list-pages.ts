// SPDX-License-Identifier: MIT

import { isCounted, type ListFilter, nameList, wantedState } from "./list-filter.ts";
import type { ListRange } from "./list-range.ts";

/** The end of a page that was answered. The next page begins there. */
export interface PageEnd {
  /** The list that it is a page of, by state and application. */
  list: string;
  /** The number of items above it. */
  above: number;
  /** The change key of its last item. */
  cursor?: string;
  /** The revision of the list when the page was answered. */
  revision?: number;
}

/** The counts and revision of a list, and the ends of the far pages that were answered last, newest last. */
export interface PagedList {
  countUnread: number;
  countRead: number;
  revision: number;
  pageEnds: readonly PageEnd[];
}

/** Items that a listing reads for one call (docs/api.md 8.1). A page that has so many items above it is far. */
const itemsOfCall = 1000;

/** Page ends that a user's record has, of one list and of all. */
const endsOfList = 4;
const endsKept = 12;

/** The number of items in the list, or of those in the state of the filter. */
export const countInState = (
  { countUnread, countRead }: Pick<PagedList, "countUnread" | "countRead">,
  filter: ListFilter,
): number => (wantedState(filter) === "1" ? 0 : countUnread) + (wantedState(filter) === "0" ? 0 : countRead);

/** The calls that the read of so many items counts. */
export const callsOfItems = (items: number): number => Math.max(1, Math.ceil(items / itemsOfCall));

/**
 * The calls that a listing counts before it is read: for its items and, if it does not continue a page, for the items
 * that it skips. The number of changes (`after`) is not known in advance.
 */
export function callsOfListing(list: PagedList, range: ListRange): number {
  if (range.after !== undefined || range.itemId !== undefined) return 1;
  const size = countInState(list, range.filter);
  const { skip, limit = size } = range;
  const items = Math.max(0, Math.min(limit, size - skip));
  const isJump = items > 0 && findPageEnd(list, range) === undefined;
  return callsOfItems(items) + (isJump ? Math.floor(skip / itemsOfCall) : 0);
}

/** The end of the page that a range continues. */
export const findPageEnd = ({ pageEnds }: PagedList, range: ListRange): PageEnd | undefined =>
  pageEnds.findLast(({ list, above }) => list === nameList(range.filter) && above === range.skip);

/** Items to skip, and to read, in an order of the list. */
export interface PagePlace {
  order: "newestFirst" | "oldestFirst";
  skip: number;
  limit: number;
}

/** The place of a page, counted from the nearer end if the number of the items is known. */
export function placeOfPage(list: PagedList, { filter, after, skip, limit }: ListRange): PagePlace {
  const place = { order: "newestFirst", skip, limit: limit ?? Number.MAX_SAFE_INTEGER } as const;
  if (skip === 0 || after !== undefined || !isCounted(filter) || limit === undefined) return place;
  const count = countInState(list, filter);
  const end = Math.min(skip + limit, count);
  if (skip >= end) return { ...place, limit: 0 };
  return count - end < skip ? { order: "oldestFirst", skip: count - end, limit: end - skip } : place;
}

/** The page ends to store after a page of `items` items; undefined if the next page is near or does not exist. */
export function addPageEnd(
  { pageEnds, revision }: PagedList,
  range: ListRange,
  items: number,
  cursor?: string,
): PageEnd[] | undefined {
  const above = range.skip + items;
  if (items !== range.limit || above < itemsOfCall) return undefined;
  const list = nameList(range.filter);
  const others = pageEnds.filter((end) => end.list !== list || end.above !== above);
  const ofList = others.filter((end) => end.list === list).slice(1 - endsOfList);
  return [
    ...others.filter((end) => end.list !== list || ofList.includes(end)),
    { list, above, revision, ...(cursor !== undefined && { cursor }) },
  ].slice(-endsKept);
}
