import { liveArticles } from "@reading-list/functions/compose/live-articles.ts";
import { composeLiveApiWithReader } from "@reading-list/functions/compose/live-reader.ts";
import { createPasswordHasher } from "@reading-list/functions/compose/password-hasher.ts";
import { readeck } from "../api.ts";

export const handler = composeLiveApiWithReader(readeck, {
  articles: liveArticles,
  passwords: createPasswordHasher(),
});
