import { fileURLToPath } from "node:url";
import { createPageReader } from "@reading-list/article/page-reader.ts";
import { isExtractionWorker, serveExtractions } from "@reading-list/article/processes/serve-extractions.ts";
import type { EndpointContract } from "@reading-list/core/contract/endpoint.ts";
import type { Endpoint } from "@reading-list/core/use-cases/use-case.ts";
import { createBucketTextCache } from "@reading-list/store-dynamodb/bucket-text-cache.ts";
import { composeLive, type LiveParts, liveSettings } from "./live.ts";

/** A page reader in this function, whose bundle is its own worker: a deployed function is one file. */
export function composeReader() {
  const { textAllowedOrigins: allowedOrigins, textBucket } = liveSettings;
  const cache = createBucketTextCache(textBucket);
  return createPageReader({
    allowedOrigins,
    cache,
    clock: Date,
    worker: { entry: new URL(import.meta.url), folders: [fileURLToPath(new URL(".", import.meta.url))] },
  });
}

/** The Lambda handler of an endpoint that reads pages itself. */
export const composeLiveWithReader = <C extends EndpointContract, Result>(
  endpoint: Endpoint<C, Result>,
  parts: LiveParts = {},
) => (isExtractionWorker ? serveExtractions() : composeLive(endpoint, { ...parts, reader: composeReader() }));
