// SPDX-License-Identifier: MIT

import { createPasswordHasher } from "@reading-list/http/compose/password-hasher.ts";
import { greader } from "@reading-list/protocols/greader/api.ts";
import { composeLiveApi, liveTextUrl } from "../compose/live.ts";
import { createLiveArticles } from "../compose/live-kept.ts";
import { createLivePictures } from "../compose/live-pictures.ts";
import { createLiveRemoteReader } from "../compose/live-remote-reader.ts";

export const handler = composeLiveApi(greader, {
  articles: createLiveArticles(),
  passwords: createPasswordHasher(),
  reader: createLiveRemoteReader(),
  ...createLivePictures(),
  textUrl: liveTextUrl,
});
