// SPDX-License-Identifier: MIT

import type { z } from "zod";
import { addNotice } from "../../call-scope.ts";
import { search } from "../../contract/search.ts";
import { type Item, states } from "../../domain/item.ts";
import { type SearchQuery, withPrefix } from "../../domain/search-query.ts";
import type { Snippet } from "../../ports/search.ts";
import type { GrantedPorts } from "../granted-ports.ts";
import { readContents } from "../lists/index-lists.ts";
import { updateIndex } from "../lists/search-lists.ts";
import { defineEndpoint, type UseCase } from "../use-case.ts";

type Input = z.output<typeof search.input>;
type Ports = Pick<GrantedPorts<typeof search>, "articles" | "items" | "highlights" | "listIndexer" | "searchIndex">;

interface Found {
  asOf: number;
  isPartial: boolean;
  total: number;
  /** Without `query` the pages have no snippets. */
  pages: { item: Item; snippet?: Snippet }[];
}

const noWords: SearchQuery = { terms: [], conditions: [], endsInWord: false };
const noSnippet: Snippet = { snippet: "", marks: [] };

/** Maximum pages that a search can skip. */
const maxSkip = 1_000_000;

/** Searches the list (docs/api.md 4.15). */
const searchList: UseCase<Input, Found, Ports> = {
  // The clock is raised, so that the index can continue from the time of this call.
  sync: () => ({ beginsWalk: false }),
  begin:
    (deps, input) =>
    async ({ user }) => {
      const { sort = input.query ? "best" : "newest", count, page = 1 } = input;
      const typed = input.query ?? input.search;
      addNotice(typed?.notice);
      const index = await updateIndex(deps.listIndexer, user);
      if (typed && typed.terms.length + typed.conditions.length === 0) return { ...index, total: 0, pages: [] };
      const words = typed ?? noWords;
      const asked = {
        ...(input.prefix ? withPrefix(words) : words),
        conditions: input.state
          ? [...words.conditions, { kind: "state" as const, state: states[input.state] }]
          : words.conditions,
      };
      const skip = Math.min((page - 1) * count, maxSkip);
      const { total, itemIds } = await deps.searchIndex.find(user.userId, asked, {
        sort: sort === "best" ? sort : "newest",
        skip,
        count,
      });
      const stored = await deps.items.find(user.username, itemIds);
      const items = itemIds.flatMap((itemId) => stored.get(itemId) ?? []).filter(({ isDeleted }) => !isDeleted);
      if (!input.query) return { ...index, total, pages: items.map((item) => ({ item })) };
      const contents = await readContents(deps, user, items);
      const snippets = await deps.searchIndex.cutSnippets(user.userId, asked, contents);
      return {
        ...index,
        total,
        pages: items.flatMap((item, i) => (snippets[i] ? [{ item, snippet: snippets[i] }] : [])),
      };
    },
};

export const endpoint = defineEndpoint({
  contract: search,
  useCase: searchList,
  writeFields: ({ asOf, isPartial, total, pages }, { query }) => {
    const partial = isPartial && { partial: "1" };
    return query
      ? {
          fields: { status: "1", as_of: String(asOf), total: String(total), ...partial },
          found: pages.map(({ item, snippet: { snippet, marks } = noSnippet }) => ({
            fields: { ...writeItemFields(item), snippet },
            marks,
          })),
        }
      : { fields: { status: 1, total, ...partial }, list: [pages.map(({ item }) => writeItemFields(item))] };
  },
});

const writeItemFields = (item: Item) => ({
  item_id: item.itemId,
  url: item.url,
  title: item.title,
  time_updated: String(item.timeUpdated),
  time_added: String(item.timeAdded),
  tags: item.tags,
  state: item.state,
});
