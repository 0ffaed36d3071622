// SPDX-License-Identifier: MIT

import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { createPageReader, type PageReaderOptions } from "@reading-list/article/page-reader.ts";
import { methodsOf, pathOf } from "@reading-list/core/contract/endpoint.ts";
import { type EndpointName, endpoints } from "@reading-list/core/contract/endpoints.ts";
import { checkIds } from "@reading-list/core/domain/item-id.ts";
import { SetupError } from "@reading-list/core/errors.ts";
import type { Clock, Dependencies, PasswordHasher } from "@reading-list/core/ports.ts";
import { createApiHandler } from "@reading-list/http/api.ts";
import type { Handler } from "@reading-list/http/call.ts";
import { createDependencies } from "@reading-list/http/compose/dependencies.ts";
import { createHandlers } from "@reading-list/http/compose/handlers.ts";
import { createPasswordHasher } from "@reading-list/http/compose/password-hasher.ts";
import { createHealthHandler } from "@reading-list/http/health.ts";
import { createRefusal, createUnroutedHandler } from "@reading-list/http/unrouted.ts";
import { createCallLog } from "@reading-list/http/watch/call-log.ts";
import type { Report } from "@reading-list/http/watch/watch-calls.ts";
import { readeck } from "@reading-list/readeck/api.ts";
import { readSettings } from "@reading-list/settings/settings.ts";
import { wallabag } from "@reading-list/wallabag/api.ts";
import { createGateway, type Routes } from "./gateway.ts";
import { readLocalSettings } from "./local-settings.ts";
import { openData } from "./open-data.ts";
import { createReaderRoutes, readerAddress } from "./reader-routes.ts";
import { createReferenceRoutes } from "./reference-routes.ts";
import { createShownTextUrl } from "./shown-text-url.ts";
import { prepareStop } from "./stop-server.ts";

export interface Service {
  baseUrl: string;
  textUrl: string;
  /** Where the web reader is; empty on a stage without one. */
  readerUrl: string;
  /** The key of the application `local`; empty on a stage, which has its own keys. */
  apiKey: string;
  /** Resolves if the database cannot be written durably any more: the process must end. */
  failure: Promise<Error>;
  /** Finishes the calls under way, for 3 s at most, and stops everything. */
  stop(): Promise<void>;
}

/** Pages that a key, or an address with the key of the web reader, reads at once: with 5 MB each. */
const defaultTextsAtOnce = 25;

/** Load balancers keep idle connections for 60 s, and send requests through them: this end must not close them first. */
const idleMsBehindBalancer = 75_000;

/** Parts that tests replace. */
export interface Substitutes {
  clock?: Clock;
  wrapClient?: (client: DynamoDBDocumentClient) => DynamoDBDocumentClient;
  report?: Report;
  passwords?: PasswordHasher;
  pageLimits?: Pick<PageReaderOptions, "deadlineMs"> & Partial<Pick<Dependencies, "articleWaitMs">>;
}

/**
 * Starts the whole service in this process: database, table, API key and both hosts; with `STORE=dynamodb` both hosts on
 * the data of a stage. `env` has the variables of docs/self-hosting.md. Throws a SetupError with one clear line; nothing is
 * left running then.
 */
export async function startService(
  env: Record<string, string | undefined>,
  {
    clock = Date,
    wrapClient = (client) => client,
    report,
    passwords = createPasswordHasher(),
    pageLimits: { articleWaitMs, ...pageLimits } = {},
  }: Substitutes = {},
): Promise<Service> {
  const local = readLocalSettings(env);
  const { port, textPort, host, publicTextUrl, trustedProxies, logLevel } = local;
  const settings = readSettings(env);
  checkIds();
  const stops: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const stopPart of stops.splice(0).reverse()) await stopPart();
  };
  try {
    const data = await openData(settings, local, clock, wrapClient);
    const { stores, textCache: cache, apiKey, readerApiKey, failure } = data;
    stops.push(data.close);
    const reader = createPageReader({ allowedOrigins: settings.textAllowedOrigins, cache, clock, ...pageLimits });
    stops.push(() => reader.close());
    const { publicUrl } = settings;
    const publicUrls = [publicUrl, publicTextUrl].filter((url) => url !== undefined);
    const ownOrigins = [...settings.ownOrigins, ...publicUrls.map((url) => new URL(url).origin)];
    const { textsAtOnce = defaultTextsAtOnce } = settings;
    const settingsWithKey = { ...settings, publicApiKey: readerApiKey, ownOrigins, textsAtOnce };
    const parts = { passwords, reader, articles: stores.articles };
    const deps = createDependencies(settingsWithKey, stores, clock, parts, articleWaitMs);
    // Standard output has the API key, and systemd discards it.
    const callLog = report ?? createCallLog({ level: logLevel, output: process.stderr });
    const handlers = await createHandlers(deps, callLog);
    const refuse = createRefusal(deps);
    const serverStops: (() => Promise<void>)[] = [];
    stops.push(() => Promise.all(serverStops.map((stopServer) => stopServer())));
    const health = createHealthHandler(stores.settings);
    const healthRoutes: [string, Handler][] = [
      ["GET /health", health],
      ["HEAD /health", health],
    ];
    const listenFor = async (ownRoutes: Routes, wantedPort: number, variable: string) => {
      const routes = new Map([...ownRoutes, ...healthRoutes]);
      const server = createGateway(routes, refuse, trustedProxies);
      if (settings.store === "dynamodb") server.keepAliveTimeout = idleMsBehindBalancer;
      const stopServer = prepareStop(server);
      const url = await listen(server, host, wantedPort, variable);
      serverStops.push(stopServer);
      return url;
    };
    const textRoutes = createRoutes("text", handlers, createUnroutedHandler(deps, "text"));
    const textUrl = await listenFor(textRoutes, textPort, "TEXT_PORT");
    const shownTextUrl = createShownTextUrl(publicTextUrl ?? (publicUrl && `${publicUrl}${textFolder}`), textUrl);
    const isSignupOpen = settings.signup === "open";
    const unrouted = createUnroutedHandler(deps, "main");
    const mainRoutes = new Map([
      ...createRoutes("main", handlers, unrouted),
      ...createApiRoutes(deps, callLog),
      ...belowText(textRoutes, unrouted),
      ...createReferenceRoutes(shownTextUrl),
      ...(readerApiKey ? createReaderRoutes({ baseUrl: "/", apiKey: readerApiKey, isSignupOpen }, shownTextUrl) : []),
    ]);
    const baseUrl = await listenFor(mainRoutes, port, "PORT");
    return { baseUrl, textUrl, readerUrl: readerApiKey ? readerAddress(baseUrl) : "", apiKey, failure, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function createRoutes(host: "main" | "text", handlers: Map<EndpointName, Handler>, unrouted: Handler): Routes {
  const routes = new Map<string, Handler>([["$default", unrouted]]);
  for (const endpoint of endpoints) {
    const handler = handlers.get(endpoint.name);
    if (endpoint.host !== host || !handler) continue;
    for (const method of methodsOf(endpoint)) routes.set(`${method} ${pathOf(endpoint)}`, handler);
  }
  return routes;
}

const textFolder = "/text";

/**
 * The text host below `/text/v2` of the main host, for a server with one name and one port. What it shows of other sites must
 * not run as a page of the main host.
 */
function belowText(textRoutes: Routes, unrouted: Handler): Routes {
  const serve: Handler = async (request) => {
    const path = request.path.slice(textFolder.length);
    if (!path.startsWith("/v2/")) return unrouted(request);
    const handler = textRoutes.get(`${request.method} ${path}`) ?? textRoutes.get("$default");
    const answer = await (handler as Handler)({ ...request, path });
    const headers = { "Content-Security-Policy": "sandbox", "X-Content-Type-Options": "nosniff", ...answer.headers };
    return { ...answer, headers };
  };
  return new Map([[`ANY ${textFolder}/{proxy+}`, serve]]);
}

/** The APIs of other services, each below its name. */
function createApiRoutes(deps: Dependencies, report: Report): Routes {
  const routes = new Map<string, Handler>();
  for (const api of [readeck, wallabag]) {
    const handler = createApiHandler(deps, report, api);
    for (const path of [`/${api.contract.name}`, `/${api.contract.name}/{proxy+}`]) routes.set(`ANY ${path}`, handler);
  }
  return routes;
}

async function listen(server: Server, host: string, port: number, variable: string): Promise<string> {
  try {
    server.listen(port, host);
    await once(server, "listening");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === "EADDRINUSE" ? "is in use; name another one" : `cannot be listened on: ${code}`;
    throw new SetupError(`${variable} ${port} of ${host} ${reason}`, error);
  }
  const { port: bound } = server.address() as AddressInfo;
  return `http://${host.includes(":") ? `[${host}]` : host}:${bound}`;
}
