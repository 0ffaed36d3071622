// SPDX-License-Identifier: MIT

import { addNotice } from "../../call-scope.ts";
import { isPageNote } from "../../domain/highlight-fields.ts";
import type { Item } from "../../domain/item.ts";
import { type ListQuery, sortItems, toQueryMatcher } from "../../domain/list-query.ts";
import { isUnderWay, type ListSnapshot, nameQuery } from "../../domain/list-snapshot.ts";
import { parseSearch } from "../../domain/search-query.ts";
import { inTurns } from "../../domain/turns.ts";
import { unixTime } from "../../ports/clock.ts";
import type { Dependencies } from "../../ports/dependencies.ts";
import type { HighlightStore } from "../../ports/highlights.ts";
import type { WholeListReader } from "../../ports/items.ts";
import type { User } from "../../ports/users.ts";
import type { UseCase } from "../use-case.ts";

/** One in so many pages of a listing counts against the limit of the user (docs/apps.md). */
const pagesOfCall = 10;

/** A page of matching items, the number of all of them, and `all` items that were read. */
export interface ItemPage {
  items: Item[];
  total: number;
  all: Iterable<Item>;
  /** The items that were deleted after `changedAfter`. */
  deleted: readonly Item[];
  /** Unix seconds: the pages of a snapshot show the list of this second. */
  asOf: number;
}

type QueryPorts = Pick<Dependencies, "clock" | "wholeLists" | "snapshots" | "listSearch"> & {
  highlights: Pick<HighlightStore, "walk">;
};

/**
 * A page of the items that meet a query's conditions, in its order, as the apps of other services ask for it. If they do
 * not fit into page 1, it stores a snapshot: the later pages have the items of page 1 that still are in the list, each once.
 * If there is no recent snapshot, a page shows the present list.
 */
export const queryList: UseCase<ListQuery, ItemPage, QueryPorts> = {
  // The first sync of an app that reads 10,000 pages 30 at a time takes 334 calls. Only the first costs much.
  userCalls: ({ offset, limit }) => (Math.floor(offset / limit) % pagesOfCall === 0 ? 1 : 0),
  sync: () => ({ beginsWalk: false }),
  begin:
    ({ wholeLists, snapshots, highlights, clock, listSearch }, query) =>
    async ({ user, signInId }) => {
      const { changedAfter, offset, limit } = query;
      if (query.search) addNotice(parseSearch(query.search).notice);
      const { list, deleted, asOf } = await readAfter(wholeLists, user, changedAfter);
      const all = { [Symbol.iterator]: () => list.values() };
      const owner = { username: user.username, userId: user.userId, signInId };
      const name = nameQuery(query);
      const now = unixTime(clock);
      const highlighted = query.isHighlighted === undefined ? undefined : await highlightedItems(highlights, user);
      if (offset > 0) {
        const snapshot = await snapshots.find(owner, name, query);
        if (snapshot && isUnderWay(snapshot, now)) {
          const { total, startedAt } = snapshot;
          // A later page keeps the findings of page 1.
          const matches = toQueryMatcher(listSearch ? { ...query, search: undefined } : query, highlighted);
          return {
            items: await findItems(snapshot, list, matches),
            total,
            all,
            deleted,
            asOf: Math.min(asOf, startedAt),
          };
        }
      }
      const found = query.search ? await listSearch?.find(user, query.search) : undefined;
      const sorted =
        highlighted || found
          ? await sortItems(list.values(), query.sort, toQueryMatcher(query, highlighted, found))
          : await sortedItems(list, name, query);
      const total = sorted.length;
      if (offset === 0 && total > limit) {
        const itemIds = sorted.map(({ itemId }) => itemId);
        // An index changes without its list: when an article is kept.
        const snapshot = await snapshots.find(owner, name, { offset: 0, limit: found ? total : 1 });
        const isSame = !found || String(snapshot?.itemIds) === String(itemIds);
        if (!snapshot || !isUnderWay(snapshot, now) || snapshot.revision !== user.revision || !isSame)
          await snapshots.begin(owner, name, { startedAt: now, revision: user.revision, total, itemIds });
      }
      return { items: sorted.slice(offset, offset + limit), total, all, deleted, asOf };
    },
};

/** The list by item id, or its changes after a second. */
async function readAfter(wholeLists: WholeListReader, user: User, after: number | undefined) {
  if (after === undefined) {
    const { items: list, asOf } = await wholeLists.read(user);
    const { changedAt, lastSince } = user.clock;
    return { list, deleted: [], asOf: changedAt <= asOf ? lastSince : asOf };
  }
  const { changed, deleted, asOf } = await wholeLists.changes(user, after);
  return { list: new Map(changed.map((item) => [item.itemId, item])), deleted, asOf };
}

/** A page of the matching items of the present list. */
export interface BrowsedPage {
  user: User;
  items: Item[];
  total: number;
  /** Unix seconds of the last change that the page shows; 0 if it may lack changes of that time. */
  changedAt: number;
}

/** A page of the items that meet a query's conditions, as the list is now: no snapshot is remembered. */
export const browseList: UseCase<ListQuery, BrowsedPage, Pick<Dependencies, "wholeLists" | "listSearch">> = {
  sync: () => ({ beginsWalk: false }),
  begin:
    ({ wholeLists, listSearch }, query) =>
    async ({ user }) => {
      const { items, asOf } = await wholeLists.read(user);
      if (query.search) addNotice(parseSearch(query.search).notice);
      const found = query.search ? await listSearch?.find(user, query.search) : undefined;
      const sorted = found
        ? await sortItems(items.values(), query.sort, toQueryMatcher(query, undefined, found))
        : await sortedItems(items, nameQuery(query), query);
      return {
        user,
        items: sorted.slice(query.offset, query.offset + query.limit),
        total: sorted.length,
        changedAt: Math.min(user.clock.changedAt, asOf),
      };
    },
};

/** The last query of each list that a process remembers: apps ask for page 1 again and again. */
const lastQueries = new WeakMap<ReadonlyMap<string, Item>, { name: string; sorted: Promise<Item[]> }>();

function sortedItems(list: ReadonlyMap<string, Item>, name: string, query: ListQuery): Promise<Item[]> {
  const last = lastQueries.get(list);
  if (last?.name === name) return last.sorted;
  const sorted = sortItems(list.values(), query.sort, toQueryMatcher(query));
  lastQueries.set(list, { name, sorted });
  return sorted;
}

/** The items of a snapshot's page that are in the list and still match. */
async function findItems(
  { itemIds }: ListSnapshot,
  list: ReadonlyMap<string, Item>,
  matches: (item: Item) => boolean,
): Promise<Item[]> {
  const found: Item[] = [];
  for await (const part of inTurns(itemIds)) {
    for (const item of part.map((id) => list.get(id))) if (item && matches(item)) found.push(item);
  }
  return found;
}

/** The ids of the items that have highlights of passages: a list does not know when the last one was deleted. */
async function highlightedItems(highlights: QueryPorts["highlights"], user: User): Promise<Set<string>> {
  const found = new Set<string>();
  for await (const part of highlights.walk(user, { kind: "live" })) {
    for (const each of part) if (!isPageNote(each)) found.add(each.itemId);
  }
  return found;
}
