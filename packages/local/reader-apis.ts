// SPDX-License-Identifier: MIT

import { folderOfApi } from "@reading-list/core/contract/apis.ts";
import { type Api, createApiHandler } from "@reading-list/http/api.ts";
import type { Handler } from "@reading-list/http/call.ts";
import type { ChainPorts } from "@reading-list/http/links.ts";
import type { Report } from "@reading-list/http/watch/watch-calls.ts";

/** The routes of an API for the web reader, which are below the routes of its files. */
export function createReaderApi<Ports>(api: Api<Ports>, deps: ChainPorts & Ports, report: Report) {
  const handler = createApiHandler(deps, report, api);
  const paths = api.routes.map(({ route }) => route.slice(route.indexOf("/")).replace(/^\/$/, ""));
  return new Map<string, Handler>(paths.map((path) => [`ANY ${folderOfApi(api.contract)}${path}`, handler]));
}
