// SPDX-License-Identifier: MIT

import { addNotice } from "../../call-scope.ts";
import { parseSearch, withPrefix } from "../../domain/search-query.ts";
import type { Dependencies } from "../../ports/dependencies.ts";
import type { ListIndexer, ListSearch } from "../../ports/search.ts";
import type { User } from "../../ports/users.ts";

/**
 * Brings an index up to date. `isPartial`: it lacks changes of the list, because it is being made for the first time, or
 * follows many changes; then `X-Notice` says so.
 */
export async function updateIndex(listIndexer: ListIndexer, user: User): Promise<{ asOf: number; isPartial: boolean }> {
  const asOf = await listIndexer.update(user);
  const isPartial = asOf < user.clock.changedAt;
  if (isPartial) addNotice("search: the list is still being indexed, so pages may be missing; search again later");
  return { asOf, isPartial };
}

/** Searches lists by their indexes, for apps whose lists have their own orders, conditions and pages. */
export const createListSearch = ({
  searchIndex,
  listIndexer,
}: Pick<Dependencies, "searchIndex" | "listIndexer">): ListSearch => ({
  async find(user, search) {
    const query = withPrefix(parseSearch(search));
    if (query.terms.length + query.conditions.length === 0) return undefined;
    if ((await updateIndex(listIndexer, user)).asOf === 0) return undefined;
    const all = { sort: "newest", skip: 0, count: user.countUnread + user.countRead } as const;
    return new Set((await searchIndex.find(user.userId, query, all)).itemIds);
  },
});
