import { createArticleStore } from "@reading-list/store-dynamodb/articles.ts";
import { createBucket } from "@reading-list/store-dynamodb/bucket.ts";
import type { Table } from "@reading-list/store-dynamodb/client.ts";
import { liveSettings } from "./live.ts";

/** The kept articles of a deployed stage. */
export const liveArticles = (table: Table) =>
  createArticleStore(
    table,
    createBucket(async () => liveSettings.articleBucket),
  );
