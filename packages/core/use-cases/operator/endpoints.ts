// SPDX-License-Identifier: MIT

import { endpoint as backups } from "./backups.ts";
import { endpoint as checks } from "./checks.ts";
import { endpoint as keys } from "./keys.ts";
import { endpoint as links } from "./links.ts";
import { endpoint as mail } from "./mail.ts";
import { endpoint as maintenance } from "./maintenance.ts";
import { endpoint as shares } from "./shares.ts";
import { endpoint as state } from "./state.ts";
import { endpoint as users } from "./users.ts";

/** The endpoints of `operatorEndpoints` with their work. */
export const endpointsOfOperators = [users, links, keys, maintenance, backups, state, checks, shares, mail] as const;
