import { createPasswordHasher } from "@reading-list/http/compose/password-hasher.ts";
import { wallabag } from "@reading-list/wallabag/api.ts";
import { composeLiveApi } from "../compose/live.ts";
import { liveArticles } from "../compose/live-articles.ts";
import { createLiveRemoteReader } from "../compose/live-remote-reader.ts";

export const handler = composeLiveApi(wallabag, (table) => ({
  articles: liveArticles(table),
  passwords: createPasswordHasher(),
  reader: createLiveRemoteReader(),
}));
