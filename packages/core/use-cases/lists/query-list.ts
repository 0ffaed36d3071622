// SPDX-License-Identifier: MIT

import type { Item } from "../../domain/item.ts";
import { type ListQuery, matcherOf, sortItems } from "../../domain/list-query.ts";
import { isUnderWay, type ListWalk, nameOfWalk } from "../../domain/list-walk.ts";
import { type Dependencies, secondsOf } from "../../ports.ts";
import type { UseCase } from "../use-case.ts";

/** Pages of a list of which one counts against the limit of the user (docs/apps.md). */
const pagesOfCall = 10;

/** A page of matching items, the number of all of them, and `all` items that were read. */
export interface ItemPage {
  items: Item[];
  total: number;
  all: Iterable<Item>;
}

/**
 * A page of the items that meet a query's conditions, in its order, as the apps of other services ask for it. If they do
 * not fit into page 1, it begins a walk: the later pages have the items of page 1 that still are in the list, each once.
 * Without a walk that is under way a page is that of the present list.
 */
export const queryList: UseCase<ListQuery, ItemPage, Pick<Dependencies, "clock" | "wholeLists" | "walks">> = {
  // The first sync of an app that reads 10,000 pages 30 at a time takes 334 calls, of which all but the first cost little.
  userCalls: ({ offset, limit }) => (Math.floor(offset / limit) % pagesOfCall === 0 ? 1 : 0),
  sync: () => ({ beginsWalk: false }),
  begin:
    ({ wholeLists, walks, clock }, query) =>
    async ({ user, signInId }) => {
      const { changedAfter, offset, limit } = query;
      const list =
        changedAfter === undefined
          ? (await wholeLists.read(user)).items
          : new Map((await wholeLists.changes(user, changedAfter)).changed.map((item) => [item.itemId, item]));
      const all = { [Symbol.iterator]: () => list.values() };
      const owner = { username: user.username, userId: user.userId, signInId };
      const name = nameOfWalk(query);
      const now = secondsOf(clock);
      if (offset > 0) {
        const walk = await walks.find(owner, name, query);
        if (walk && isUnderWay(walk, now)) return { items: itemsOf(walk, list, query), total: walk.total, all };
      }
      const sorted = sortedItems(list, name, query);
      const total = sorted.length;
      if (offset === 0 && total > limit) {
        const walk = await walks.find(owner, name, { offset: 0, limit: 1 });
        if (!walk || !isUnderWay(walk, now) || walk.revision !== user.revision) {
          const itemIds = sorted.map(({ itemId }) => itemId);
          await walks.begin(owner, name, { startedAt: now, revision: user.revision, total, itemIds });
        }
      }
      return { items: sorted.slice(offset, offset + limit), total, all };
    },
};

/** The last query of each list that a process remembers: apps ask for page 1 again and again. */
const lastQueries = new WeakMap<ReadonlyMap<string, Item>, { name: string; sorted: Item[] }>();

function sortedItems(list: ReadonlyMap<string, Item>, name: string, query: ListQuery): Item[] {
  const last = lastQueries.get(list);
  if (last?.name === name) return last.sorted;
  const sorted = sortItems([...list.values()].filter(matcherOf(query)), query.sort);
  lastQueries.set(list, { name, sorted });
  return sorted;
}

/** The items of a walk's page that are in the list and still match. */
const itemsOf = ({ itemIds }: ListWalk, list: ReadonlyMap<string, Item>, query: ListQuery): Item[] =>
  itemIds
    .map((id) => list.get(id))
    .filter((item) => item !== undefined)
    .filter(matcherOf(query));
