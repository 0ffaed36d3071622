// SPDX-License-Identifier: MIT

import type { Api } from "@reading-list/http/api.ts";
import { feeds } from "./feeds/api.ts";
import { greader } from "./greader/api.ts";
import { kobo } from "./kobo/api.ts";
import type { KoboPorts } from "./kobo/shop.ts";
import { linkding } from "./linkding/api.ts";
import { mcp } from "./mcp/api.ts";
import { opds } from "./opds/api.ts";
import { readeck } from "./readeck/api.ts";
import { wallabag } from "./wallabag/api.ts";

/**
 * All protocols that one process serves; in a deployed stage, each is a separate function (`packages/lambda/handlers`).
 */
export const protocols: readonly Api<KoboPorts>[] = [feeds, greader, kobo, linkding, mcp, opds, readeck, wallabag];
