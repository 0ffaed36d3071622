import { fileURLToPath } from "node:url";
import { createPageReader } from "@reading-list/article/page-reader.ts";
import { isExtractionWorker, serveExtractions } from "@reading-list/article/processes/serve-extractions.ts";
import type { EndpointContract } from "@reading-list/core/contract/endpoint.ts";
import type { Endpoint } from "@reading-list/core/use-cases/use-case.ts";
import { createBucketTextCache } from "@reading-list/store-dynamodb/bucket-text-cache.ts";
import type { Api } from "../http/api.ts";
import type { LiveParts } from "./dependencies.ts";
import { composeLive, composeLiveApi, liveSettings } from "./live.ts";

function composeReader() {
  const { textAllowedOrigins: allowedOrigins, textBucket } = liveSettings;
  const cache = createBucketTextCache(textBucket);
  return createPageReader({
    allowedOrigins,
    cache,
    clock: Date,
    worker: { entry: new URL(import.meta.url), folders: [fileURLToPath(new URL(".", import.meta.url))] },
  });
}

/** The Lambda handler of an endpoint that reads pages. Its bundle is its own worker: a deployed function is one file. */
export const composeLiveWithReader = <C extends EndpointContract, Result>(
  endpoint: Endpoint<C, Result>,
  parts: LiveParts = {},
) => (isExtractionWorker ? serveExtractions() : composeLive(endpoint, { ...parts, reader: composeReader() }));

/** The same for an API of another service. */
export const composeLiveApiWithReader = (api: Api, parts: LiveParts) =>
  isExtractionWorker ? serveExtractions() : composeLiveApi(api, { ...parts, reader: composeReader() });
