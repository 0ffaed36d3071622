// SPDX-License-Identifier: MIT

import { createArticleStore } from "@reading-list/store-dynamodb/articles.ts";
import { createBucket } from "@reading-list/store-dynamodb/bucket.ts";
import { liveSettings, liveTable } from "./live.ts";

/** The kept articles of a deployed stage. */
export const createLiveArticles = () =>
  createArticleStore(
    liveTable(),
    createBucket(async () => liveSettings.articleBucket),
  );
