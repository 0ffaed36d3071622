import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { startEmbeddedDatabase } from "@reading-list/local/embedded-database.ts";
import { createDocumentClient, type Table } from "@reading-list/store/client.ts";
import { ServiceClient } from "@reading-list/testing/client.ts";
import { articlePage, page, startPageServer } from "@reading-list/testing/page-server.ts";
import { startChild } from "./child.ts";

/** The measured system: one database for the service and the floors. */
export interface Stack {
  /** The service's own table. */
  table: Table;
  service: ServiceClient;
  servicePid: number;
  emptyGatewayUrl: string;
  /** A page that the service may fetch. */
  pageUrl: string;
  /** Settings for another service on this database and table. */
  envOfService: Record<string, string>;
  /** Stops every process and removes the data. A second call waits for the first. */
  stop(): Promise<void>;
}

const tableName = "reading-list";
const apiKey = "bench";
const noLimit = "1000000000";

/** Starts the embedded database on a new folder, and the service and the empty gateway in separate processes. */
export async function startStack(): Promise<Stack> {
  const stops: (() => unknown)[] = [];
  const stopParts = async () => {
    for (const stopPart of stops.reverse()) await stopPart();
  };
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= stopParts();
    return stopped;
  };
  try {
    const folder = mkdtempSync(path.join(tmpdir(), "reading-list-bench-"));
    stops.push(() => rmSync(folder, { recursive: true }));
    const database = await startEmbeddedDatabase(folder);
    stops.push(database.stop);
    const client = createDocumentClient(database.endpoint);
    stops.push(() => client.destroy());
    const pages = await startPageServer(page(articlePage));
    stops.push(pages.stop);
    const envOfService = {
      PORT: "0",
      TEXT_PORT: "0",
      DATA_DIR: folder,
      DYNAMODB_ENDPOINT: database.endpoint,
      TABLE_NAME: tableName,
      LOCAL_API_KEY: apiKey,
      USER_LIMIT: noLimit,
      KEY_LIMIT: noLimit,
      TEXT_ALLOWED_ORIGINS: pages.origin,
    };
    const service = await startChild(import.meta.resolve("@reading-list/local/main.ts"), envOfService);
    stops.push(service.stop);
    const emptyGateway = await startChild(import.meta.resolve("./empty-gateway.ts"));
    stops.push(emptyGateway.stop);
    return {
      table: { client, tableName },
      service: clientOf(service.urls),
      servicePid: service.pid,
      emptyGatewayUrl: emptyGateway.urls[0] ?? "",
      pageUrl: `${pages.origin}/article`,
      envOfService,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A client of a service that printed these URLs. */
export const clientOf = ([baseUrl = "", textUrl = ""]: readonly string[]) =>
  new ServiceClient({ baseUrl, textUrl, apiKey });
