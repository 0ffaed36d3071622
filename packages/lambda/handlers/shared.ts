// SPDX-License-Identifier: MIT

import { shared } from "@reading-list/core/contract/text-host.ts";
import { createSharedHandler } from "@reading-list/http/shared.ts";
import { composeLiveHandler } from "../compose/live.ts";
import { createLiveArticles, createLivePictureStore } from "../compose/live-kept.ts";

export const handler = composeLiveHandler(
  shared,
  { articles: createLiveArticles(), pictureStore: createLivePictureStore() },
  createSharedHandler,
);
