import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { methods, pathOf } from "@reading-list/core/contract/endpoint.ts";
import { type EndpointName, endpoints } from "@reading-list/core/contract/endpoints.ts";
import { type Clock, secondsOf, type TextCache } from "@reading-list/core/ports.ts";
import { createDependencies } from "@reading-list/functions/compose/dependencies.ts";
import { SetupError } from "@reading-list/functions/compose/environment.ts";
import { createPasswordHasher } from "@reading-list/functions/compose/password-hasher.ts";
import { readSettings } from "@reading-list/functions/compose/settings.ts";
import { createHandlers } from "@reading-list/functions/endpoints/all.ts";
import { createUnroutedHandler } from "@reading-list/functions/http/unrouted.ts";
import { createCallLog } from "@reading-list/functions/watch/call-log.ts";
import type { Report } from "@reading-list/functions/watch/watch-calls.ts";
import { createPageReader } from "@reading-list/reader/page-reader.ts";
import { seedApiKey } from "@reading-list/store/api-keys.ts";
import { createDocumentClient } from "@reading-list/store/client.ts";
import { ensureTable, startEmbeddedDatabase } from "./embedded-database.ts";
import { createFolderTextCache } from "./folder-text-cache.ts";
import { createGateway, type Handler, type Routes } from "./gateway.ts";
import { readLocalSettings } from "./local-settings.ts";

export interface Service {
  baseUrl: string;
  textUrl: string;
  apiKey: string;
  /** Lets calls under way finish, then stops everything. */
  stop(): Promise<void>;
}

/** What a test may put in the place of the real thing. */
export interface Substitutes {
  clock?: Clock;
  wrapClient?: (client: DynamoDBDocumentClient) => DynamoDBDocumentClient;
  report?: Report;
}

/**
 * Starts the whole service in this process: database, table, API key and both hosts. `env` holds the variables of the
 * contract's last section. Throws a SetupError with one clear line; nothing is left running then.
 */
export async function startService(
  env: Record<string, string | undefined>,
  { clock = Date, wrapClient = (client) => client, report }: Substitutes = {},
): Promise<Service> {
  const { port, textPort, host, dataDir, apiKey, logLevel } = readLocalSettings(env);
  const settings = readSettings(env);
  const stops: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const stopPart of stops.splice(0).reverse()) await stopPart();
  };
  try {
    let endpoint = settings.dynamodbEndpoint;
    if (!endpoint) {
      const database = await startEmbeddedDatabase(dataDir);
      stops.push(database.stop);
      endpoint = database.endpoint;
    }
    const table = { client: wrapClient(createDocumentClient(endpoint)), tableName: settings.tableName };
    stops.push(async () => table.client.destroy());
    await prepareTable(table, apiKey, secondsOf(clock)).catch((error) => {
      throw new SetupError(`the database at ${endpoint} does not answer as it should (DYNAMODB_ENDPOINT)`, error);
    });

    const { cache, removeCache } = prepareTextCache(dataDir);
    stops.push(removeCache);
    const reader = createPageReader({ allowedOrigins: settings.textAllowedOrigins, cache, clock });
    stops.push(() => reader.close());
    const parts = { passwords: createPasswordHasher(), reader };
    const deps = createDependencies(settings, table, clock, parts);
    const handlers = createHandlers(deps, report ?? createCallLog(logLevel));
    const unrouted = createUnroutedHandler(deps);
    const servers: Server[] = [];
    stops.push(() => Promise.all(servers.map(close)));
    const listenFor = async (name: "main" | "text", wantedPort: number, variable: string) => {
      const server = createGateway(routesOf(name, handlers, unrouted), clock);
      const url = await listen(server, host, wantedPort, variable);
      servers.push(server);
      return url;
    };
    return {
      baseUrl: await listenFor("main", port, "PORT"),
      textUrl: await listenFor("text", textPort, "TEXT_PORT"),
      apiKey,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The texts kept in the data folder; in a passing one where no data is kept. */
function prepareTextCache(dataDir: string): { cache: TextCache; removeCache: () => Promise<void> } {
  if (dataDir !== ":memory:") {
    return { cache: createFolderTextCache(path.join(dataDir, "texts")), removeCache: async () => {} };
  }
  const folder = mkdtempSync(path.join(tmpdir(), "reading-list-texts-"));
  return { cache: createFolderTextCache(folder), removeCache: () => rm(folder, { recursive: true, force: true }) };
}

async function prepareTable(table: Parameters<typeof ensureTable>[0], apiKey: string, now: number): Promise<void> {
  await ensureTable(table);
  await seedApiKey(table, apiKey, {
    applicationId: "local",
    name: "Local development",
    status: "enabled",
    created: now,
  });
}

function routesOf(host: "main" | "text", handlers: Record<EndpointName, Handler>, unrouted: Handler): Routes {
  const routes = new Map<string, Handler>([["$default", unrouted]]);
  for (const endpoint of endpoints) {
    if (endpoint.host !== host) continue;
    for (const method of methods) routes.set(`${method} ${pathOf(endpoint)}`, handlers[endpoint.name]);
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

/** Milliseconds for calls under way to finish when the service stops. */
const graceful = 3000;

/** Lets calls under way finish; connections that say nothing more are cut. */
async function close(server: Server): Promise<void> {
  const end = setTimeout(() => server.closeAllConnections(), graceful);
  const closed = once(server, "close");
  server.close();
  server.closeIdleConnections();
  await closed;
  clearTimeout(end);
}
