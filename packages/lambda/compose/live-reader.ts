// SPDX-License-Identifier: MIT

import { fileURLToPath } from "node:url";
import { createPageReader } from "@reading-list/article/page-reader.ts";
import { isWorker } from "@reading-list/article/processes/extraction-pool.ts";
import { serveExtractions } from "@reading-list/article/processes/serve-extractions.ts";
import type { EndpointContract } from "@reading-list/core/contract/endpoint.ts";
import type { TextCache } from "@reading-list/core/ports/pages.ts";
import type { Endpoint } from "@reading-list/core/use-cases/use-case.ts";
import type { HeavyParts, LightParts } from "@reading-list/http/compose/dependencies.ts";
import { createBucketTextCache } from "@reading-list/store-dynamodb/text-caches.ts";
import { composeLive, liveSettings } from "./live.ts";

/**
 * A page reader in this function, whose bundle is its own worker: a deployed function is one file. Default cache: the
 * bucket of cached texts.
 */
export function composeReader(cache: TextCache = createBucketTextCache(liveSettings.textBucket)) {
  return createPageReader({
    allowedOrigins: liveSettings.textAllowedOrigins,
    cache,
    clock: Date,
    worker: { entry: new URL(import.meta.url), folders: [fileURLToPath(new URL(".", import.meta.url))] },
  });
}

/** The Lambda handler of an endpoint that reads pages itself. */
export const composeLiveWithReader = <C extends EndpointContract, Result, Parts extends Partial<HeavyParts>>(
  endpoint: Endpoint<C, Result, LightParts & Parts & Pick<HeavyParts, "reader">>,
  parts: Parts,
) => (isWorker ? serveExtractions() : composeLive(endpoint, { ...parts, reader: composeReader() }));
