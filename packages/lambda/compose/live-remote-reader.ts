// SPDX-License-Identifier: MIT

import { ServiceError } from "@reading-list/core/errors.ts";
import type { PageReader } from "@reading-list/core/ports/pages.ts";
import { liveSettings } from "./live.ts";
import { createRemoteCalls } from "./remote-calls.ts";

const busy = (cause: unknown) =>
  new ServiceError("unavailable", "too many pages are being read at once; try again", { retryAfter: 2, cause });

/**
 * The page reader of a function with rights on users' records: the extraction function of the stage, which has no right
 * on the table, and no secret.
 */
export function createLiveRemoteReader(): PageReader {
  const call = createRemoteCalls<PageReader>(liveSettings.extractionFunction, busy);
  return {
    read: (...args) => call("read", ...args),
    readArticle: (...args) => call("readArticle", ...args),
    book: (...args) => call("book", ...args),
  };
}
