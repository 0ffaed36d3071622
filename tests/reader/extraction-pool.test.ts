import { ServiceError } from "@reading-list/core/errors.ts";
import type { TextCache } from "@reading-list/core/ports.ts";
import { ExtractionPool } from "@reading-list/reader/extraction-pool.ts";
import { createPageReader } from "@reading-list/reader/page-reader.ts";
import { expect, onTestFinished, test } from "vitest";
import { costlyPages } from "./hostile-pages.ts";
import { noCache } from "./no-cache.ts";
import { articlePage, page, servePages } from "./page-server.ts";

const workerEntry = new URL("../../packages/reader/extraction-worker.ts", import.meta.url);
const never = new Promise<never>(() => {});
const job = (html: string) =>
  ({
    body: Buffer.from(html),
    kind: "html",
    charset: "utf-8",
    url: "http://example.com/",
    mode: "less",
    images: false,
  }) as const;
const costly = Object.values(costlyPages).find((html) => html.length > 1_000_000) ?? "";

function newPool(options: { workers?: number; extractionMs?: number; workerEntry?: URL } = {}) {
  const pool = new ExtractionPool({ workerEntry, workers: 1, extractionMs: 5000, heapMb: 256, ...options });
  onTestFinished(() => pool.close());
  return pool;
}

test("a page that only waits for a worker is told from one that exceeds its bounds", async () => {
  const pool = newPool();
  const deadline = new AbortController();
  const [first, waiting] = [
    pool.run(job(costly), AbortSignal.timeout(3000)),
    pool.run(job(articlePage), deadline.signal),
  ];
  deadline.abort();
  expect(await waiting).toEqual({ kind: "busy" });
  expect(["view", "exceeded"]).toContain((await first).kind);
});

test("a request that is late already takes no worker", async () => {
  const pool = newPool();
  expect(await pool.run(job(articlePage), AbortSignal.abort())).toEqual({ kind: "busy" });
});

test("a pool that is closed starts nothing again, and those who wait are let go", async () => {
  const pool = newPool();
  const { signal } = new AbortController();
  const runs = [pool.run(job(costly), signal), pool.run(job(articlePage), signal)];
  await pool.close();
  expect((await Promise.all(runs)).map(({ kind }) => kind)).toEqual(["exceeded", "busy"]);
  expect(await pool.run(job(articlePage), signal)).toEqual({ kind: "busy" });
});

test("a worker that cannot be started takes no place of those that can", async () => {
  const pool = newPool({ workerEntry: new URL("data:text/plain,no") });
  const { signal } = new AbortController();
  for (let attempt = 0; attempt < 3; attempt++) {
    const outcome = await pool.run(job(articlePage), signal).catch(() => ({ kind: "failed" }));
    expect(["failed", "exceeded"]).toContain(outcome.kind);
  }
});

test("a page for which no worker comes free is no empty article but a 503", async () => {
  const origin = await servePages(page(articlePage));
  const reader = createPageReader({
    allowedOrigins: [origin],
    cache: noCache,
    clock: Date,
    workers: 0,
    deadlineMs: 300,
  });
  onTestFinished(() => reader.close());
  const outcome = await reader.read({ url: origin, mode: "less", images: false }).catch((error: unknown) => error);
  expect(outcome).toBeInstanceOf(ServiceError);
  expect(outcome).toMatchObject({ kind: "unavailable", retryAfter: 2 });
});

test("a cache that never answers is the same as an empty one", async () => {
  const origin = await servePages(page(articlePage));
  const stuck: TextCache = { find: () => never, keep: () => never };
  const reader = createPageReader({ allowedOrigins: [origin], cache: stuck, clock: Date });
  onTestFinished(() => reader.close());
  const view = await reader.read({ url: origin, mode: "less", images: false });
  expect(view.html).toContain("Paragraph 3 of the article");
});
