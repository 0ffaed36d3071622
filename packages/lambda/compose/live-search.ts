// SPDX-License-Identifier: MIT

import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { IndexingLimits } from "@reading-list/core/use-cases/lists/index-lists.ts";
import { StoredIndexes } from "@reading-list/core/use-cases/lists/stored-indexes.ts";
import { createIndexInProcess } from "@reading-list/search/index-in-process.ts";
import { createHighlightStore } from "@reading-list/store-dynamodb/highlights.ts";
import { createIndexObjects } from "@reading-list/store-dynamodb/index-objects.ts";
import { createItemStore } from "@reading-list/store-dynamodb/items.ts";
import { liveSettings, liveTable } from "./live.ts";
import { createLiveArticles } from "./live-kept.ts";
import { createRemoteIndexing } from "./remote-indexing.ts";

/** Nothing runs after the answer: an update ends soon after the search has ceased to wait for it. */
const limitsOfSearch = { waitMs: 3000, updateMs: 3500 };

/** The search indexes of a deployed stage, with copies in this function. */
export function createLiveIndexes(limits: IndexingLimits, ask?: ConstructorParameters<typeof StoredIndexes>[4]) {
  const folder = path.join(tmpdir(), "indexes");
  // Files of a process that has ended.
  rmSync(folder, { recursive: true, force: true });
  const articles = createLiveArticles();
  const ports = { items: createItemStore(liveTable()), highlights: createHighlightStore(liveTable()), articles };
  const objects = createIndexObjects(async () => liveSettings.searchBucket);
  return { articles, indexes: new StoredIndexes(ports, createIndexInProcess(folder), objects, limits, ask) };
}

/** The dependencies of the function that searches. */
export function createLiveSearch() {
  const ask = createRemoteIndexing(liveSettings.indexingFunction);
  const { articles, indexes } = createLiveIndexes(limitsOfSearch, ({ username }) => ask({ username }));
  return { articles, listIndexer: indexes, searchIndex: indexes.searchIndex };
}
