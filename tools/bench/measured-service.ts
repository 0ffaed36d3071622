// SPDX-License-Identifier: MIT

import { randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type Account, ServiceClient } from "@reading-list/testing/client.ts";
import { articlePage, page, startPageServer } from "@reading-list/testing/page-server.ts";
import { type ChildServer, startChild } from "./child.ts";

/** `npm start` in a process of its own, on a new data folder. */
export interface MeasuredService {
  client: ServiceClient;
  process: ChildServer;
  /** A page that the service may fetch. */
  pageUrl: string;
  /** Bytes of the data folder. */
  bytesOnDisk(): number;
  /** Starts it again on the same folder. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export const noLimit = "1000000000";

const apiKey = "bench-key";

/** The variables of a service that limits no calls. */
export const writeVariables = (dataFolder: string) => ({
  PORT: "0",
  TEXT_PORT: "0",
  DATA_DIR: dataFolder,
  LOCAL_API_KEY: apiKey,
  KEEP_PAGES: "opened",
  USER_LIMIT: noLimit,
  KEY_LIMIT: noLimit,
});

/** The client of a service with these variables, from the URLs that it prints. */
export const createClient = ([baseUrl = "", textUrl = ""]: string[]): ServiceClient =>
  new ServiceClient({ baseUrl, textUrl, apiKey });

const root = fileURLToPath(new URL("../..", import.meta.url));
const startScript = new URL("../../packages/local/start", import.meta.url).href;

/** Starts it with the embedded database, or with the variables of a stage. `cwd`: the folder of the program. */
export async function startMeasuredService(stage: Record<string, string> = {}, cwd = root): Promise<MeasuredService> {
  const folder = mkdtempSync(path.join(tmpdir(), "reading-list-bench-"));
  const pages = await startPageServer(page(articlePage));
  const start = () =>
    startChild(
      startScript,
      { ...writeVariables(folder), TEXT_ALLOWED_ORIGINS: pages.origin, ...stage },
      { program: "sh", cwd, args: [process.execPath] },
    );
  const child = await start();
  const service: MeasuredService = {
    client: createClient(child.urls),
    process: child,
    pageUrl: `${pages.origin}/article`,
    bytesOnDisk: () =>
      readdirSync(folder, { recursive: true, encoding: "utf8" })
        .map((name) => statSync(path.join(folder, name)))
        .reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0),
    restart: async () => {
      await service.process.stop();
      service.process = await start();
      service.client = createClient(service.process.urls);
    },
    stop: async () => {
      await service.process.stop();
      pages.stop();
      rmSync(folder, { recursive: true });
    },
  };
  return service;
}

/** A new page, with a URL and a title of usual length. */
export function newPage(): { url: string; title: string } {
  const id = randomUUID();
  return {
    url: `https://news.example.com/2026/11/21/an-article-about-something/${id}`,
    title: `An article about something that happened today, as told by the news (${id.slice(0, 8)})`,
  };
}

export const newPages = (count: number) => ({ new: JSON.stringify(Array.from({ length: count }, newPage)) });

/** A new highlight of usual length, as an entry of `save`. */
export const newHighlight = (url: string) => ({
  id: randomUUID(),
  url,
  quote: "the harbour was opened again on Monday morning, ".repeat(3),
  position: 1200,
  prefix: "fishermen, traders and the mayor of the town had agreed to ".slice(0, 64),
  suffix: "x".repeat(64),
});

/** The number of items, or highlights, in the body of an answer. */
export const itemsIn = (body: string) => body.split('"item_id"').length - 1;

export const newAccount = (): Account => ({ username: randomUUID().slice(0, 18), password: "correct horse" });

/** Registers a user with a list of so many items. Returns the account and the `since` after the last change. */
export async function seedList(client: ServiceClient, items: number): Promise<{ account: Account; since: number }> {
  const account = newAccount();
  await client.ok("signup", { ...account });
  for (let left = items; left > 0; left -= 2000) {
    await client.ok("send", { ...account, ...newPages(Math.min(left, 2000)) });
  }
  const { since } = (await client.ok("get", { ...account, count: "1" })).json();
  return { account, since: Number(since) };
}
