// SPDX-License-Identifier: MIT

import type { Dependencies, Stores } from "@reading-list/core/ports/dependencies.ts";
import type { IndexObjects, SearchIndex } from "@reading-list/core/ports/search.ts";
import { IndexedLists } from "@reading-list/core/use-cases/lists/index-lists.ts";
import { createListSearch } from "@reading-list/core/use-cases/lists/search-lists.ts";
import { StoredIndexes } from "@reading-list/core/use-cases/lists/stored-indexes.ts";
import { createSearchIndex } from "@reading-list/search/search-index.ts";
import { indexesName } from "@reading-list/store-sqlite/database.ts";
import { openSubfolder } from "./data-folder.ts";

const sweepIntervalMs = 12 * 3_600_000;

export interface SearchTimes {
  /** Milliseconds for which a search waits for its index. */
  waitMs?: number;
  /** Milliseconds that its evaluation may take. */
  evaluationMs?: number;
}

/** The full-text indexes, in a folder beside the database; of a stage copies of the stored ones, in a temporary folder. */
export function openSearch(
  dataDir: string,
  stores: Stores & Pick<Dependencies, "articles" | "isDiskFull">,
  objects: IndexObjects | undefined,
  { evaluationMs, ...limits }: SearchTimes = {},
): { search: Pick<Dependencies, "searchIndex" | "listIndexer" | "listSearch">; stop: () => Promise<void> } {
  const { folder, removeFolder } = openSubfolder(objects ? ":memory:" : dataDir, indexesName);
  const searchIndex = createSearchIndex(folder, evaluationMs === undefined ? {} : { evaluationMs });
  const close = async () => {
    await searchIndex.close();
    await removeFolder();
  };
  if (objects) {
    const indexes = new StoredIndexes(stores, searchIndex, objects, limits);
    const parts = { searchIndex: indexes.searchIndex, listIndexer: indexes };
    return { search: { ...parts, listSearch: createListSearch(parts) }, stop: close };
  }
  const lists = new IndexedLists({ ...stores, searchIndex }, limits);
  const sweep = () => sweepIndexes(stores, searchIndex, lists).catch(() => {});
  void sweep();
  const timer = setInterval(sweep, sweepIntervalMs).unref();
  return {
    search: { searchIndex, listIndexer: lists, listSearch: createListSearch({ searchIndex, listIndexer: lists }) },
    stop: async () => {
      clearInterval(timer);
      await close();
    },
  };
}

/** Drops the indexes of users who are gone, and overwrites the words of deleted pages in the others. */
async function sweepIndexes({ users }: Pick<Stores, "users">, index: SearchIndex, lists: IndexedLists): Promise<void> {
  for (const userId of await index.owners()) {
    const state = await index.state(userId);
    const user = state && (await users.find(state.username));
    if (user?.userId !== userId) {
      await index.drop(userId);
    } else {
      await lists.finish(user);
      await index.compact(userId);
    }
  }
}
