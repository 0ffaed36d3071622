// SPDX-License-Identifier: MIT

import { createArticleStore } from "@reading-list/store-dynamodb/articles.ts";
import { createIndexObjects } from "@reading-list/store-dynamodb/index-objects.ts";
import { liveSettings, liveTable } from "./live.ts";
import { liveObjects } from "./live-objects.ts";

/** The kept articles of a deployed stage. */
export const createLiveArticles = () =>
  createArticleStore(
    liveTable(),
    liveObjects(),
    createIndexObjects(async () => liveSettings.searchBucket),
  );
