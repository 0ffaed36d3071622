// SPDX-License-Identifier: MIT

import { listApiPaths } from "@reading-list/core/contract/apis.ts";
import { shortBody } from "@reading-list/core/contract/bounded.ts";
import { listMethods, toPath } from "@reading-list/core/contract/endpoint.ts";
import { type EndpointName, endpoints } from "@reading-list/core/contract/endpoints.ts";
import { picture, shared } from "@reading-list/core/contract/text-host.ts";
import type { Dependencies, OperatorPorts } from "@reading-list/core/ports/dependencies.ts";
import { pathOfDownload } from "@reading-list/core/use-cases/operator/download-backup.ts";
import { createApiHandler } from "@reading-list/http/api.ts";
import { createBackupHandler } from "@reading-list/http/backup-download.ts";
import type { Handler } from "@reading-list/http/call.ts";
import { createOperatorHandlers } from "@reading-list/http/compose/handlers.ts";
import { createPictureHandler } from "@reading-list/http/picture.ts";
import { createSharedHandler } from "@reading-list/http/shared.ts";
import { createUnroutedHandler } from "@reading-list/http/unrouted.ts";
import type { Report } from "@reading-list/http/watch/watch-calls.ts";
import type { KoboPorts } from "@reading-list/protocols/kobo/shop.ts";
import { protocols } from "@reading-list/protocols/protocols.ts";
import { findHandler, type Routes } from "./gateway.ts";

type Handlers = Map<EndpointName, Handler>;

/** The endpoints of the main host, and the text host below `/text`. */
export function createMainRoutes(deps: Dependencies, handlers: Handlers, textRoutes: Routes): Routes {
  const unrouted = createUnroutedHandler(deps, "main");
  return new Map([...createEndpointRoutes("main", handlers, unrouted), ...belowText(textRoutes, unrouted)]);
}

/** The endpoints of the text host: articles, their pictures, and shared pages. */
export function createTextRoutes(deps: Dependencies, handlers: Handlers, report: Report): Routes {
  const readPicture = createPictureHandler(deps, report);
  const readShared = createSharedHandler(deps, report);
  return new Map([
    ...createEndpointRoutes("text", handlers, createUnroutedHandler(deps, "text")),
    ...picture.methods.map((method): [string, Handler] => [`${method} ${picture.path}`, readPicture]),
    ...shared.methods.map((method): [string, Handler] => [`${method} ${shared.path}`, readShared]),
  ]);
}

/** The endpoints of administrators. */
export function createOperatorRoutes(deps: Dependencies & OperatorPorts, report: Report): Routes {
  const handlers = [...createOperatorHandlers(deps, report)];
  return new Map([
    ...handlers.map(([path, handler]): [string, Handler] => [`POST ${path}`, handler]),
    [`GET ${pathOfDownload}`, createBackupHandler(deps, report)],
  ]);
}

/** The protocols of other services, each below its name. */
export function createApiRoutes(deps: Dependencies & KoboPorts, report: Report): Routes {
  const routes = new Map<string, Handler>();
  for (const api of protocols) {
    const handler = createApiHandler(deps, report, api);
    for (const path of Object.values(listApiPaths(api.contract))) routes.set(`ANY ${path}`, handler);
  }
  return routes;
}

function createEndpointRoutes(host: "main" | "text", handlers: Handlers, unrouted: Handler): Routes {
  const routes = new Map<string, Handler>([["$default", unrouted]]);
  for (const endpoint of endpoints) {
    const handler = handlers.get(endpoint.name);
    if (endpoint.host !== host || !handler) continue;
    for (const method of listMethods(endpoint)) routes.set(`${method} ${toPath(endpoint)}`, handler);
  }
  return routes;
}

/** The folder of the text host on the main host. */
export const textFolder = "/text";

/**
 * The text host below `/text/v2` of the main host, for a server with one name and one port. Content from other sites must
 * not run as a page of the main host.
 */
function belowText(textRoutes: Routes, unrouted: Handler): Routes {
  const find = (method: string, path: string) => findHandler(textRoutes, method, path) as Handler;
  const serve: Handler = async (request) => {
    const path = request.path.slice(textFolder.length);
    if (!/^\/(v2|s)\//.test(path)) return unrouted(request);
    const answer = await find(request.method, path)({ ...request, path, folder: textFolder });
    const headers = { "Content-Security-Policy": "sandbox", "X-Content-Type-Options": "nosniff", ...answer.headers };
    return { ...answer, headers };
  };
  serve.maxBodyOf = ({ method, path: called }) => {
    const path = called.slice(textFolder.length);
    return find(method, path).maxBodyOf?.({ method, path }) ?? shortBody;
  };
  return new Map([[`ANY ${textFolder}/{proxy+}`, serve]]);
}
