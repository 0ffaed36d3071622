// SPDX-License-Identifier: MIT

import { createPasswordHasher } from "@reading-list/http/compose/password-hasher.ts";
import { feeds } from "@reading-list/protocols/feeds/api.ts";
import { composeLiveApi } from "../compose/live.ts";

export const handler = composeLiveApi(feeds, { passwords: createPasswordHasher() });
