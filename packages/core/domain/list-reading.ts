// SPDX-License-Identifier: MIT

import { type Item, newestFirst } from "./item.ts";
import { type ListFilter, toDeletion, toItemMatcher, wantedState } from "./list-filter.ts";
import type { ListRange } from "./list-range.ts";

/** A part of a list: its items, and the deletions after `ListRange.after`. */
export interface ListPart {
  items: Item[];
  deleted: Item[];
}

/** Whether a range may have deletions. `deletedAt`: the time of the newest one in the list. */
export const hasDeletions = ({ deletedAt }: { deletedAt: number }, { after }: Pick<ListRange, "after">): boolean =>
  after !== undefined && deletedAt > after;

const showsDeletions = ({ deletions, filter }: ListRange) => deletions === "asRead" && wantedState(filter) !== "0";

/** Whether a range shows deletions among its items, as read ones. */
export const mergesDeletions = (list: { deletedAt: number }, range: ListRange): boolean =>
  showsDeletions(range) && hasDeletions(list, range);

/** The deletions among items, which may be tombstones or not, after a time. */
export const deletionsIn = (items: readonly Item[], filter: ListFilter, after: number): Item[] =>
  items.flatMap((item) => toDeletion(item, filter, after) ?? []);

/**
 * The part of a list that a range asks for. `items`: the items of the range; if it merges deletions, the items from the
 * top of the list. An item that was added again is not deleted.
 */
export function withDeletions(
  list: { deletedAt: number },
  range: ListRange,
  items: Item[],
  deletions: readonly Item[],
): ListPart {
  const listed = new Set(items.map(({ itemId }) => itemId));
  const deleted = deletions.filter(({ itemId }) => !listed.has(itemId));
  if (!mergesDeletions(list, range)) return { items, deleted };
  const { skip, limit = Number.POSITIVE_INFINITY } = range;
  return { items: [...items, ...deleted].sort(newestFirst).slice(skip, skip + limit), deleted };
}

/** The part of a list as of a second, for the id of an item. */
export function pickItemPart(item: Item | undefined, range: ListRange, asOf: number): ListPart {
  const { filter, after = -1, skip } = range;
  const isShown = item && (after < 0 || item.timeUpdated <= asOf) && skip === 0;
  if (!isShown) return { items: [], deleted: [] };
  const isListed = !item.isDeleted && item.timeUpdated > after && toItemMatcher(filter)(item);
  const deleted = after < 0 ? [] : deletionsIn([item], filter, after);
  return { items: isListed ? [item] : showsDeletions(range) ? deleted : [], deleted };
}
