// SPDX-License-Identifier: MIT

import { createPasswordHasher } from "@reading-list/http/compose/password-hasher.ts";
import { opds } from "@reading-list/protocols/opds/api.ts";
import { composeLiveApi } from "../compose/live.ts";
import { createLiveArticles } from "../compose/live-kept.ts";
import { createLivePictures } from "../compose/live-pictures.ts";
import { createLiveRemoteReader } from "../compose/live-remote-reader.ts";

export const handler = composeLiveApi(opds, {
  articles: createLiveArticles(),
  passwords: createPasswordHasher(),
  reader: createLiveRemoteReader(),
  ...createLivePictures(),
});
