import { ServiceError } from "@reading-list/core/errors.ts";
import type { TextCache } from "@reading-list/core/ports.ts";
import { createPageReader } from "@reading-list/reader/page-reader.ts";
import { ExtractionPool } from "@reading-list/reader/threads/extraction-pool.ts";
import { articlePage, page, servePages } from "@reading-list/testing/page-server.ts";
import { expect, onTestFinished, test } from "vitest";
import { costlyPages } from "../hostile-pages.ts";
import { noCache } from "../no-cache.ts";

const workerEntry = new URL("../../../packages/reader/threads/extraction-worker.ts", import.meta.url);
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

test("a page that only waits for a worker is distinguished from one that exceeds its limits", async () => {
  const pool = newPool({ extractionMs: 300 });
  const deadline = new AbortController();
  const [first, waiting] = [
    pool.run(job(costly), new AbortController().signal),
    pool.run(job(articlePage), deadline.signal),
  ];
  deadline.abort();
  expect(await waiting).toEqual({ kind: "busy" });
  expect(["view", "exceeded"]).toContain((await first).kind);
});

test("a page that got its worker too late is `busy`, not too expensive", async () => {
  const pool = newPool({ extractionMs: 300 });
  const { signal } = new AbortController();
  const first = pool.run(job(costly), signal);
  const deadline = new AbortController();
  const waiting = pool.run(job(costly), deadline.signal);
  await first;
  deadline.abort();
  expect(await waiting).toEqual({ kind: "busy" });
});

test("a page that got a worker immediately, but shortly before its deadline, is `late`", async () => {
  const pool = newPool();
  const deadline = new AbortController();
  const extraction = pool.run(job(costly), deadline.signal);
  deadline.abort();
  expect(await extraction).toEqual({ kind: "late" });
});

test("a request after its deadline uses no worker", async () => {
  const pool = newPool();
  expect(await pool.run(job(articlePage), AbortSignal.abort())).toEqual({ kind: "busy" });
});

test("a closed pool starts no worker, and ends running and waiting requests", async () => {
  const pool = newPool();
  const { signal } = new AbortController();
  const runs = [pool.run(job(costly), signal), pool.run(job(articlePage), signal)];
  await pool.close();
  expect((await Promise.all(runs)).map(({ kind }) => kind)).toEqual(["exceeded", "busy"]);
  expect(await pool.run(job(articlePage), signal)).toEqual({ kind: "busy" });
});

test("a worker that fails to start does not block the pool", async () => {
  const pool = newPool({ workerEntry: new URL("data:text/plain,no") });
  const { signal } = new AbortController();
  for (let attempt = 0; attempt < 3; attempt++) {
    const outcome = await pool.run(job(articlePage), signal).catch(() => ({ kind: "failed" }));
    expect(["failed", "exceeded"]).toContain(outcome.kind);
  }
});

test("a page that gets no worker is a 503, not an empty article", async () => {
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

/** A cache that records what it is asked to keep. */
function recordingCache() {
  const kept: string[] = [];
  const cache: TextCache = { find: async () => undefined, keep: async (key) => void kept.push(key) };
  return { kept, cache };
}

test("a page that gets its worker shortly before the deadline is a 503 with Retry-After, and is not cached", async () => {
  const origin = await servePages(page(costly));
  const { kept, cache } = recordingCache();
  const options = { allowedOrigins: [origin], cache, clock: Date, workers: 1, deadlineMs: 1500, extractionMs: 1000 };
  const reader = createPageReader(options);
  onTestFinished(() => reader.close());
  const read = (path: string) => reader.read({ url: origin + path, mode: "less", images: false });
  const outcomes = await Promise.allSettled([read("/1"), read("/2")]);
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  const refused = outcomes.find(({ status }) => status === "rejected");
  expect(refused).toMatchObject({ reason: { kind: "unavailable", retryAfter: 2 } });
  expect(kept).toEqual([]);
});

test("a page that its origin sends shortly before the deadline is refused as too slow, and is not cached", async () => {
  const origin = await servePages((_request, response) => {
    response.writeHead(200, { "content-type": "text/html" });
    response.flushHeaders();
    setTimeout(() => response.end(costly), 1000);
  });
  const { kept, cache } = recordingCache();
  const reader = createPageReader({ allowedOrigins: [origin], cache, clock: Date, deadlineMs: 1500 });
  onTestFinished(() => reader.close());
  const outcome = await reader.read({ url: origin, mode: "less", images: false }).catch((error: unknown) => error);
  expect(outcome).toMatchObject({ kind: "invalid", message: "text: url takes too long to answer" });
  expect(kept).toEqual([]);
});

test("a cache that never answers is the same as an empty one", async () => {
  const origin = await servePages(page(articlePage));
  const stuck: TextCache = { find: () => never, keep: () => never };
  const reader = createPageReader({ allowedOrigins: [origin], cache: stuck, clock: Date });
  onTestFinished(() => reader.close());
  const view = await reader.read({ url: origin, mode: "less", images: false });
  expect(view.html).toContain("Paragraph 3 of the article");
});
