import { composeLiveApi } from "@reading-list/functions/compose/live.ts";
import { liveArticles } from "@reading-list/functions/compose/live-articles.ts";
import { createLiveRemoteReader } from "@reading-list/functions/compose/live-remote-reader.ts";
import { createPasswordHasher } from "@reading-list/functions/compose/password-hasher.ts";
import { readeck } from "../api.ts";

export const handler = composeLiveApi(readeck, {
  articles: liveArticles,
  passwords: createPasswordHasher(),
  reader: createLiveRemoteReader(),
});
