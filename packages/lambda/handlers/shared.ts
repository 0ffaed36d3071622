// SPDX-License-Identifier: MIT

import { shared } from "@reading-list/core/contract/shared.ts";
import { createSharedHandler } from "@reading-list/http/shared.ts";
import { composeLiveHandler } from "../compose/live.ts";
import { createLiveArticles } from "../compose/live-articles.ts";
import { createLivePictureStore } from "../compose/live-picture-store.ts";

export const handler = composeLiveHandler(
  shared,
  { articles: createLiveArticles(), pictureStore: createLivePictureStore() },
  createSharedHandler,
);
