import { composeLiveApi } from "@reading-list/functions/compose/live.ts";
import { createPasswordHasher } from "@reading-list/functions/compose/password-hasher.ts";
import { readeck } from "../api.ts";

export const handler = composeLiveApi(readeck, { passwords: createPasswordHasher() });
