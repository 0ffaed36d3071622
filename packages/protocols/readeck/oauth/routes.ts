// SPDX-License-Identifier: MIT

import { authorizeRoutes } from "./authorize.ts";
import { clientRoutes } from "./clients.ts";
import { deviceRoutes } from "./device.ts";
import { metadataRoutes } from "./metadata.ts";
import { tokenRoutes } from "./tokens.ts";

/** The authorization server (docs/apps.md 5). */
export const oauthRoutes = [...metadataRoutes, ...clientRoutes, ...authorizeRoutes, ...deviceRoutes, ...tokenRoutes];
