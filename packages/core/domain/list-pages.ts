// SPDX-License-Identifier: MIT

import { isCounted, type ListFilter, wantedState } from "./list-filter.ts";
import type { ListRange } from "./list-range.ts";
import { findPageEnd, itemsOfCall, type Walks } from "./walks.ts";

/** The counts of a list, and the walks over it. */
export interface PagedList {
  countUnread: number;
  countRead: number;
  walks: Walks;
}

/** The number of items in the list, or of those in the state of the filter. */
export const countInState = (
  { countUnread, countRead }: Pick<PagedList, "countUnread" | "countRead">,
  filter: ListFilter,
): number => (wantedState(filter) === "1" ? 0 : countUnread) + (wantedState(filter) === "0" ? 0 : countRead);

/** The calls that the read of so many items counts. */
export const countItemCalls = (items: number): number => Math.max(1, Math.ceil(items / itemsOfCall));

/**
 * The calls that a listing counts before it is read: for its items and, if it does not continue a page, for the items
 * that it skips. The number of changes (`after`) is not known in advance.
 */
export function countListingCalls(list: PagedList, range: ListRange): number {
  if (range.after !== undefined || range.itemId !== undefined) return 1;
  const size = countInState(list, range.filter);
  const { skip, limit = size } = range;
  const items = Math.max(0, Math.min(limit, size - skip));
  const isJump = items > 0 && findPageEnd(list.walks, range) === undefined;
  return countItemCalls(items) + (isJump ? Math.floor(skip / itemsOfCall) : 0);
}

/** Items to skip, and to read, in an order of the list. */
export interface PagePlace {
  order: "newestFirst" | "oldestFirst";
  skip: number;
  limit: number;
}

/** The place of a page, counted from the nearer end if the number of the items is known. */
export function findPagePlace(list: PagedList, { filter, after, skip, limit }: ListRange): PagePlace {
  const place = { order: "newestFirst", skip, limit: limit ?? Number.MAX_SAFE_INTEGER } as const;
  if (skip === 0 || after !== undefined || !isCounted(filter) || limit === undefined) return place;
  const count = countInState(list, filter);
  const end = Math.min(skip + limit, count);
  if (skip >= end) return { ...place, limit: 0 };
  return count - end < skip ? { order: "oldestFirst", skip: count - end, limit: end - skip } : place;
}
