// SPDX-License-Identifier: MIT

import { isWorker } from "@reading-list/article/processes/extraction-pool.ts";
import { serveExtractions } from "@reading-list/article/processes/serve-extractions.ts";
import type { PageReader } from "@reading-list/core/ports/pages.ts";
import { createProcessTextCache } from "@reading-list/store-dynamodb/text-caches.ts";
import { composeReader } from "../compose/live-reader.ts";
import { serveRemoteCalls } from "../compose/remote-calls.ts";

/**
 * Reads pages for the functions that have rights on users' records, so that hostile pages are parsed without any. Its cache
 * ends with its process: a page that takes the process over cannot change texts that others read later.
 */
export const handler = isWorker
  ? serveExtractions()
  : serveRemoteCalls<PageReader>(composeReader(createProcessTextCache()), "extraction");
