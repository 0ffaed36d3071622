// SPDX-License-Identifier: MIT

import { parseSearch, withPrefix } from "../../domain/search-query.ts";
import type { Dependencies } from "../../ports/dependencies.ts";
import type { ListSearch } from "../../ports/search.ts";

/** Searches lists by their indexes, for apps whose lists have their own orders, conditions and pages. */
export const createListSearch = ({
  searchIndex,
  listIndexer,
}: Pick<Dependencies, "searchIndex" | "listIndexer">): ListSearch => ({
  async find(user, search) {
    const query = withPrefix(parseSearch(search));
    if (query.terms.length + query.conditions.length === 0) return undefined;
    if ((await listIndexer.update(user)) === 0) return undefined;
    const all = { sort: "newest", skip: 0, count: user.countUnread + user.countRead } as const;
    return new Set((await searchIndex.find(user.userId, query, all)).itemIds);
  },
});
