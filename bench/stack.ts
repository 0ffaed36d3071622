import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { startEmbeddedDatabase } from "@reading-list/local/embedded-database.ts";
import { createDocumentClient, type Table } from "@reading-list/store/client.ts";
import { startChild } from "./child.ts";
import type { ServiceAddress } from "./client.ts";
import { servePage } from "./page-server.ts";

/** What the bench measures: one database, on which the service and the floors run. */
export interface Stack {
  /** The service's own table. */
  table: Table;
  service: ServiceAddress;
  emptyGatewayUrl: string;
  /** A page that the service may fetch. */
  pageUrl: string;
  /** Settings for a further service on this database and this table. */
  envOfService: Record<string, string>;
  /** Ends every process and removes the data; a second time waits for the first. */
  stop(): Promise<void>;
}

const tableName = "reading-list";
const apiKey = "bench";
const noLimit = "1000000000";

/** Starts the embedded database on a folder of its own, and service and empty gateway in a process each. */
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
    const page = await servePage();
    stops.push(page.stop);
    const envOfService = {
      PORT: "0",
      TEXT_PORT: "0",
      DATA_DIR: folder,
      DYNAMODB_ENDPOINT: database.endpoint,
      TABLE_NAME: tableName,
      LOCAL_API_KEY: apiKey,
      USER_LIMIT: noLimit,
      KEY_LIMIT: noLimit,
      TEXT_ALLOWED_ORIGINS: page.origin,
    };
    const service = await startChild(import.meta.resolve("@reading-list/local/main.ts"), envOfService);
    stops.push(service.stop);
    const emptyGateway = await startChild(import.meta.resolve("./empty-gateway.ts"));
    stops.push(emptyGateway.stop);
    return {
      table: { client, tableName },
      service: addressOf(service.urls),
      emptyGatewayUrl: emptyGateway.urls[0] ?? "",
      pageUrl: `${page.origin}/article`,
      envOfService,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The address of a service that printed these URLs. */
export const addressOf = ([baseUrl = "", textUrl = ""]: readonly string[]): ServiceAddress => ({
  baseUrl,
  textUrl,
  apiKey,
});
