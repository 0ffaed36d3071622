// SPDX-License-Identifier: MIT

import { createApiHandler } from "@reading-list/http/api.ts";
import type { Handler } from "@reading-list/http/call.ts";
import type { ChainPorts } from "@reading-list/http/links.ts";
import type { Report } from "@reading-list/http/watch/watch-calls.ts";
import { type PasskeyPorts, passkeys } from "@reading-list/protocols/passkeys/api.ts";

const paths = passkeys.routes.map(({ route }) => route.slice(route.indexOf("/")));

/** The routes of passkeys, which are below those of the web reader. */
export function createPasskeyRoutes(deps: ChainPorts & PasskeyPorts, report: Report): Map<string, Handler> {
  const handler = createApiHandler(deps, report, passkeys);
  return new Map(paths.map((path) => [`ANY /app/passkeys${path}`, handler]));
}
