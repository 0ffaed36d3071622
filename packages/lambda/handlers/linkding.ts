// SPDX-License-Identifier: MIT

import { createPasswordHasher } from "@reading-list/http/compose/password-hasher.ts";
import { linkding } from "@reading-list/protocols/linkding/api.ts";
import { composeLiveApi } from "../compose/live.ts";
import { createLiveArticles } from "../compose/live-kept.ts";
import { createLiveRemoteReader } from "../compose/live-remote-reader.ts";

export const handler = composeLiveApi(linkding, {
  articles: createLiveArticles(),
  passwords: createPasswordHasher(),
  reader: createLiveRemoteReader(),
});
