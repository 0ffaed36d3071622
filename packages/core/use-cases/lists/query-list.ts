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
  all: Item[];
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
      const all =
        changedAfter === undefined
          ? [...(await wholeLists.read(user)).items.values()]
          : (await wholeLists.changes(user, changedAfter)).changed;
      const matching = all.filter(matcherOf(query));
      const owner = { username: user.username, userId: user.userId, signInId };
      const now = secondsOf(clock);
      const found =
        offset > 0 || matching.length > limit ? await walks.find(owner, nameOfWalk(query), query) : undefined;
      const walk = found && isUnderWay(found, now) ? found : undefined;
      if (walk && (offset > 0 || walk.revision === user.revision)) {
        return { items: itemsOf(walk, matching), total: walk.total, all };
      }
      const sorted = sortItems(matching, query.sort);
      const total = sorted.length;
      if (offset === 0 && total > limit) {
        const itemIds = sorted.map(({ itemId }) => itemId);
        await walks.begin(owner, nameOfWalk(query), { startedAt: now, revision: user.revision, total, itemIds });
      }
      return { items: sorted.slice(offset, offset + limit), total, all };
    },
};

/** The items of a walk's page that still match. */
function itemsOf({ itemIds }: ListWalk, matching: readonly Item[]): Item[] {
  const wanted = new Set(itemIds);
  const found = new Map(matching.filter(({ itemId }) => wanted.has(itemId)).map((item) => [item.itemId, item]));
  return itemIds.flatMap((id) => found.get(id) ?? []);
}
