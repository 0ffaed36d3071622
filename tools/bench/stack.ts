import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { startDynamodb } from "@reading-list/testing/dynamodb.ts";
import { articlePage, page, startPageServer } from "@reading-list/testing/page-server.ts";

/** A DynamoDB and a page server for a service that counts its database commands. */
export interface Stack {
  /** A page that the service may fetch. */
  pageUrl: string;
  envOfService: Record<string, string>;
  stop(): Promise<void>;
}

const noLimit = "1000000000";

export async function startStack(): Promise<Stack> {
  const folder = mkdtempSync(path.join(tmpdir(), "reading-list-bench-"));
  const database = await startDynamodb();
  const pages = await startPageServer(page(articlePage));
  return {
    pageUrl: `${pages.origin}/article`,
    envOfService: {
      ...{ PORT: "0", TEXT_PORT: "0", DATA_DIR: folder, DYNAMODB_ENDPOINT: database.endpoint },
      ...{ LOCAL_API_KEY: "bench-key", USER_LIMIT: noLimit, KEY_LIMIT: noLimit, TEXT_ALLOWED_ORIGINS: pages.origin },
    },
    stop: async () => {
      pages.stop();
      await database.stop();
      rmSync(folder, { recursive: true });
    },
  };
}
