import { type ItemPage, type ListQuery, pageOf } from "../domain/list-query.ts";
import type { UseCase } from "./use-case.ts";

/** A page of the items that meet a query's conditions, in its order, as the apps of other services ask for it. */
export const queryList: UseCase<ListQuery, ItemPage> = {
  sync: () => ({ beginsWalk: false }),
  begin:
    ({ wholeLists }, query) =>
    async ({ user }) => {
      const { changedAfter } = query;
      const { items, asOf } =
        changedAfter === undefined
          ? await wholeLists.read(user)
          : { items: await wholeLists.changes(user, changedAfter), asOf: user.clock.lastSince };
      return pageOf(items.values(), query, asOf, (since) => wholeLists.deletedSince(user, since));
    },
};
