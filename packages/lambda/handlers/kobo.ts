// SPDX-License-Identifier: MIT

import { createPasswordHasher } from "@reading-list/http/compose/password-hasher.ts";
import { kobo } from "@reading-list/protocols/kobo/api.ts";
import { koboShop } from "@reading-list/protocols/kobo/shop.ts";
import { composeLiveApi } from "../compose/live.ts";
import { createLiveArticles } from "../compose/live-kept.ts";
import { createLivePictures } from "../compose/live-pictures.ts";
import { createLiveRemoteReader } from "../compose/live-remote-reader.ts";

export const handler = composeLiveApi(kobo, {
  koboShop,
  articles: createLiveArticles(),
  passwords: createPasswordHasher(),
  reader: createLiveRemoteReader(),
  ...createLivePictures(),
});
