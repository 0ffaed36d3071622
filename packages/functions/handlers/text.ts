import { isMainThread } from "node:worker_threads";
import { createPageReader } from "@reading-list/article/page-reader.ts";
import { serveExtractions } from "@reading-list/article/threads/serve-extractions.ts";
import { createBucketTextCache } from "@reading-list/store-dynamodb/bucket-text-cache.ts";
import { composeLive, liveSettings } from "../compose/live.ts";
import { endpoint } from "../endpoints/text.ts";

function composeReader() {
  const { textAllowedOrigins: allowedOrigins, textBucket } = liveSettings;
  const cache = createBucketTextCache(textBucket);
  return createPageReader({ allowedOrigins, cache, clock: Date, workerEntry: new URL(import.meta.url) });
}

/** The bundle of this function is its own worker, as a deployed function is one file. */
export const handler = isMainThread ? composeLive(endpoint, { reader: composeReader() }) : serveExtractions();
