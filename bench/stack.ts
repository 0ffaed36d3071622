import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { startEmbeddedDatabase } from "@reading-list/local/embedded-database.ts";
import { startChild } from "./child.ts";
import type { ServiceAddress } from "./client.ts";

/** What the bench measures: one database, on which the service and the floors run. */
export interface Stack {
  databaseEndpoint: string;
  tableName: string;
  service: ServiceAddress;
  emptyGatewayUrl: string;
  /** Settings for a further service on this database, whose table is its own. */
  envOfService: Record<string, string>;
  /** Ends every process and removes the data; a second time does nothing. */
  stop(): Promise<void>;
}

const tableName = "reading-list";
const apiKey = "bench";
const noLimit = "1000000000";

/** Starts the embedded database on a folder of its own, and service and empty gateway in a process each. */
export async function startStack(): Promise<Stack> {
  const stops: (() => unknown)[] = [];
  const stop = async () => {
    for (const stopPart of stops.splice(0).reverse()) await stopPart();
  };
  try {
    const folder = mkdtempSync(path.join(tmpdir(), "reading-list-bench-"));
    stops.push(() => rmSync(folder, { recursive: true }));
    const database = await startEmbeddedDatabase(folder);
    stops.push(database.stop);
    const envOfService = {
      PORT: "0",
      TEXT_PORT: "0",
      DYNAMODB_ENDPOINT: database.endpoint,
      LOCAL_API_KEY: apiKey,
      USER_LIMIT: noLimit,
      KEY_LIMIT: noLimit,
    };
    const main = import.meta.resolve("@reading-list/local/main.ts");
    const service = await startChild(main, { ...envOfService, TABLE_NAME: tableName });
    stops.push(service.stop);
    const emptyGateway = await startChild(import.meta.resolve("./empty-gateway.ts"));
    stops.push(emptyGateway.stop);
    return {
      databaseEndpoint: database.endpoint,
      tableName,
      service: { baseUrl: service.url, apiKey },
      emptyGatewayUrl: emptyGateway.url,
      envOfService,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
