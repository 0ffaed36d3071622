import type { Item } from "../../domain/item.ts";
import { type ItemPage, type ListQuery, pageOf } from "../../domain/list-query.ts";
import { sinceOfWalk, walkSeconds } from "../../domain/page-walk.ts";
import { type Dependencies, secondsOf } from "../../ports.ts";
import type { UseCase } from "../use-case.ts";

/** Pages of a list of which one counts against the limit of the user (docs/apps.md). */
const pagesOfCall = 10;

/** Seconds after which a change is visible in DynamoDB: the first page of a walk may lack the newest ones. */
const visibleSeconds = 5;

/** A page of the items that meet a query's conditions, in its order, as the apps of other services ask for it; and `all` items. */
export const queryList: UseCase<ListQuery, ItemPage & { all: Item[] }, Pick<Dependencies, "clock" | "wholeLists">> = {
  // The first sync of an app that reads 10,000 pages 30 at a time takes 334 calls, of which all but the first cost little.
  userCalls: ({ offset, limit }) => (Math.floor(offset / limit) % pagesOfCall === 0 ? 1 : 0),
  sync: ({ offset }) => ({ beginsWalk: offset === 0 }),
  begin:
    ({ wholeLists, clock }, query) =>
    async ({ user }) => {
      const { changedAfter, offset } = query;
      const all =
        changedAfter === undefined
          ? [...(await wholeLists.read(user)).items.values()]
          : (await wholeLists.changes(user, changedAfter)).changed;
      const now = secondsOf(clock);
      const since = Math.max(sinceOfWalk(user.walks, now, now), now - 2 * walkSeconds) - visibleSeconds;
      const deleted = offset === 0 ? 0 : await wholeLists.deletedSince(user, since);
      return { ...pageOf(all, query, since, deleted), all };
    },
};
