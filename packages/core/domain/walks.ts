// SPDX-License-Identifier: MIT

import { nameList } from "./list-filter.ts";
import type { ListRange } from "./list-range.ts";

/**
 * Walks, in a user's record: clients fetch a list page by page (docs/decisions/pages-and-deletions.md).
 * Later pages are answered with a `since` from the beginning of their walk, so that a client that stores it misses no
 * change that was made during the walk; and a far page begins where the page before it ended.
 */
export interface Walks {
  /** The first walk that began in the last hour, and the first one of the hour before. */
  latest?: WalkStart | undefined;
  earlier?: WalkStart | undefined;
  /** The ends of the far pages that were answered last, newest last. */
  ends?: readonly PageEnd[] | undefined;
}

/** The first page of a walk: the `since` of its answer, and when it was fetched. Unix seconds. */
interface WalkStart {
  since: number;
  startedAt: number;
}

/** The end of a page that was answered. The next page begins there. */
export interface PageEnd {
  /** The list that it is a page of, by state and application. */
  list: string;
  /** The number of items above it. */
  above: number;
  /** The change key of its last item. */
  cursor?: string | undefined;
  /** The revision of the list when the page was answered. */
  revision?: number | undefined;
}

/** A walk may take 3600 s; walks of `get` that begin within that time share one entry. */
export const walkSeconds = 3600;

/** Items that a listing reads for one call (docs/api.md 8.1). A page that has so many items above it is far. */
export const itemsOfCall = 1000;

/** Page ends that a user's record has, of one list and of all. */
const endsOfList = 4;
const endsKept = 12;

/** The walks after one begins; the same ones if they have an entry for it. */
export function beginWalk(walks: Walks, start: WalkStart): Walks {
  if (walks.latest && walks.latest.startedAt > start.startedAt - walkSeconds) return walks;
  return { ...walks, latest: start, earlier: walks.latest };
}

/**
 * The `since` of a later page: the one of page 1 in the oldest walk that may be under way, at most `asOf`. If something
 * left the list at `leftAt`, during the walk, later entries have moved up to pages that the client has already read: then
 * the client must sync from `after`, the `since` that it sent. All in Unix seconds.
 */
export function chooseLaterSince(
  { latest, earlier }: Walks,
  { now, asOf, after = 0, leftAt }: { now: number; asOf: number; after?: number | undefined; leftAt: number },
): number {
  const start = earlier && now - earlier.startedAt <= 2 * walkSeconds ? earlier : latest;
  const walkSince = start?.since ?? after;
  return leftAt > walkSince ? after : Math.min(asOf, walkSince);
}

/** The end of the page that a range continues. */
export const findPageEnd = ({ ends }: Walks, { filter, skip }: ListRange): PageEnd | undefined =>
  ends?.findLast(({ list, above }) => list === nameList(filter) && above === skip);

/** The page ends to store after a page of `items` items; undefined if the next page is near or does not exist. */
export function addPageEnd(
  { walks, revision }: { walks: Walks; revision: number },
  range: ListRange,
  items: number,
  cursor?: string,
): PageEnd[] | undefined {
  const above = range.skip + items;
  if (items !== range.limit || above < itemsOfCall) return undefined;
  const list = nameList(range.filter);
  const others = (walks.ends ?? []).filter((end) => end.list !== list || end.above !== above);
  const ofList = others.filter((end) => end.list === list).slice(1 - endsOfList);
  const left = others.filter((end) => end.list !== list || ofList.includes(end));
  return [...left, { list, above, revision, cursor }].slice(-endsKept);
}
