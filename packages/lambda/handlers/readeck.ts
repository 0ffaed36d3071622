// SPDX-License-Identifier: MIT

import { createPasswordHasher } from "@reading-list/http/compose/password-hasher.ts";
import { readeck } from "@reading-list/protocols/readeck/api.ts";
import { composeLiveApi } from "../compose/live.ts";
import { createLiveArticles } from "../compose/live-kept.ts";
import { createLivePictures } from "../compose/live-pictures.ts";
import { createLiveRemoteReader } from "../compose/live-remote-reader.ts";

export const handler = composeLiveApi(readeck, {
  articles: createLiveArticles(),
  passwords: createPasswordHasher(),
  reader: createLiveRemoteReader(),
  ...createLivePictures(),
});
