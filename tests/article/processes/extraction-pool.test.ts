// SPDX-License-Identifier: MIT

import { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { createPageReader, type PageReaderOptions } from "@reading-list/article/page-reader.ts";
import { createPictureReader } from "@reading-list/article/pictures/picture-reader.ts";
import { ExtractionPool, type Job } from "@reading-list/article/processes/extraction-pool.ts";
import type { CachedText, TextCache } from "@reading-list/core/ports/pages.ts";
import { articlePage, page, servePages } from "@reading-list/testing/page-server.ts";
import { expect, onTestFinished, test, vi } from "vitest";
import { costlyPages } from "../hostile-pages.ts";
import { noCache } from "../no-cache.ts";

const workerEntry = new URL("../../../packages/article/processes/extraction-worker.ts", import.meta.url);
const never = new Promise<never>(() => {});
const job = (html: string) =>
  ({
    work: "views",
    body: Buffer.from(html),
    kind: "html",
    charset: "utf-8",
    url: "http://example.com/",
    modes: ["less"],
    images: false,
  }) as const;
const costly = Object.values(costlyPages).find((html) => html.length > 1_000_000) ?? "";
const { signal } = new AbortController();

const folders = ["packages", "node_modules", "tests", "package.json"].map((name) => path.resolve(name));
let callers = 0;

/** A pool whose jobs each have another caller, unless they name one. */
function newPool(entry = workerEntry, processorMs = 5000, options = {}) {
  const pool = new ExtractionPool(entry, folders, options);
  onTestFinished(() => pool.close());
  return {
    close: () => pool.close(),
    run: (one: Job, patience = signal, address = `192.0.2.${++callers}`) =>
      pool.run(one, { processorMs, turn: { address }, signal: patience }),
  };
}

test("an idle worker ends, and the next page starts another one", async () => {
  const kill = vi.spyOn(ChildProcess.prototype, "kill");
  onTestFinished(() => kill.mockRestore());
  const pool = newPool(workerEntry, 5000, { idleMs: 100 });
  expect((await pool.run(job(articlePage))).kind).toBe("done");
  await expect.poll(() => kill).toHaveBeenCalledOnce();
  expect((await pool.run(job(articlePage))).kind).toBe("done");
});

test("a page that exceeds its processor time ends only its worker", async () => {
  const pool = newPool(workerEntry, 300);
  expect(await pool.run(job(costly))).toEqual({ kind: "exceeded" });
  expect((await pool.run(job(articlePage))).kind).toBe("done");
});

test.skipIf(process.platform !== "linux")("if memory is short, Linux ends workers first", async () => {
  const pool = newPool();
  await pool.run(job(articlePage));
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, "utf8").trim().split(" ");
  const scores = children.map((pid) => readFileSync(`/proc/${pid}/oom_score_adj`, "utf8").trim());
  expect(scores).toContain("1000");
  expect(readFileSync("/proc/self/oom_score_adj", "utf8").trim()).not.toBe("1000");
});

test("the start of a worker does not count", async () => {
  const slowStart = new URL("./slow-start.ts", import.meta.url);
  expect((await newPool(slowStart, 600).run(job(articlePage))).kind).toBe("done");
});

test("a page whose deadline expires while it waits for a worker is `busy`", async () => {
  const pool = newPool(workerEntry, 300);
  const deadline = new AbortController();
  const first = [pool.run(job(costly)), pool.run(job(costly))];
  const waiting = pool.run(job(articlePage), deadline.signal);
  deadline.abort();
  expect(await waiting).toEqual({ kind: "busy" });
  expect((await Promise.all(first)).map(({ kind }) => kind)).toEqual(["exceeded", "exceeded"]);
});

test("a page that cannot be decoded is `refused` with the reason, and its worker continues", async () => {
  const pool = newPool();
  const broken = { ...job("%PDF-1.7"), kind: "pdf" } as const;
  expect(await pool.run(broken)).toEqual({ kind: "refused", reason: "is a PDF that cannot be decoded" });
  expect((await pool.run(job(articlePage))).kind).toBe("done");
});

test("a page is `busy` at once if the pages of all jobs have more than 120 MB", async () => {
  const pool = newPool();
  const large = { ...job(""), kind: "pdf", body: new Uint8Array(20_000_000) } as const;
  const held = Array.from({ length: 6 }, () => pool.run(large));
  expect(await pool.run(large)).toEqual({ kind: "busy" });
  expect((await Promise.all(held)).map(({ kind }) => kind)).toEqual(Array(6).fill("refused"));
  expect((await pool.run(large)).kind).toBe("refused");
});

test("a request after its deadline uses no worker", async () => {
  expect(await newPool().run(job(articlePage), AbortSignal.abort())).toEqual({ kind: "busy" });
});

test("a closed pool starts no worker, and ends running and waiting requests", async () => {
  const pool = newPool();
  const runs = [job(costly), job(costly), job(articlePage)].map((one) => pool.run(one));
  await setImmediate();
  await pool.close();
  expect((await Promise.all(runs)).map(({ kind }) => kind)).toEqual(["exceeded", "exceeded", "busy"]);
  expect(await pool.run(job(articlePage))).toEqual({ kind: "busy" });
});

test.each(["absent", "exiting-worker"])(
  "a worker that fails, whatever the page, does not block the pool: %s",
  async (name) => {
    const pool = newPool(new URL(`./${name}.ts`, import.meta.url));
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(await pool.run(job(articlePage))).toEqual({ kind: "crashed" });
    }
  },
);

test("a page or picture whose worker fails is our failure, and not the page's", async () => {
  const worker = { entry: new URL("./exiting-worker.ts", import.meta.url), folders };
  const origin = await servePages(page(articlePage));
  await expect(newReader({ allowedOrigins: [origin], worker })(origin)).rejects.toMatchObject({ kind: "unavailable" });
  const pictures = createPictureReader({ allowedOrigins: [], worker });
  onTestFinished(() => pictures.close());
  for (const write of [pictures.toJpeg, pictures.toWebp]) {
    await expect(write(Buffer.from("x"), { address: "" })).rejects.toMatchObject({ kind: "unavailable" });
  }
});

test("an address has one worker, while another address's worker is free", async () => {
  const pool = newPool(workerEntry, 300);
  const slow = [job(costly), job(costly), job(costly)].map((one) => pool.run(one, signal, "192.0.2.66"));
  const ended: string[] = [];
  slow.map((run) => run.then(() => ended.push("slow")));
  expect((await pool.run(job(articlePage))).kind).toBe("done");
  expect(ended.length).toBeLessThan(3);
  expect((await Promise.all(slow)).map(({ kind }) => kind)).toEqual(["exceeded", "exceeded", "exceeded"]);
});

test("a worker can read only the program, has no environment, and cannot start a process", async () => {
  vi.stubEnv("PROOF_SECRET", "hush");
  onTestFinished(() => void vi.unstubAllEnvs());
  const pool = newPool(new URL("./prying-worker.ts", import.meta.url));
  const outcome = await pool.run(job(articlePage));
  expect(outcome).toEqual({
    kind: "done",
    result: { environment: [], passwd: "ERR_ACCESS_DENIED", write: "ERR_ACCESS_DENIED", child: "ERR_ACCESS_DENIED" },
  });
});

/** A cache that records what it stores. */
function recordingCache() {
  const texts = new Map<string, CachedText>();
  const cache: TextCache = {
    find: async (key) => texts.get(key),
    keep: async (key, text) => void texts.set(key, text),
  };
  return { texts, cache };
}

function newReader(options: Partial<PageReaderOptions> & { allowedOrigins: string[] }) {
  const reader = createPageReader({ cache: noCache, clock: Date, ...options });
  onTestFinished(() => reader.close());
  return (url: string) => reader.read({ url, mode: "less", images: false });
}

test("a page whose extraction ends after the deadline is a 503, and the repeated request finds its text", async () => {
  const origin = await servePages(page(articlePage));
  const { texts, cache } = recordingCache();
  const worker = { entry: new URL("./slow-start.ts", import.meta.url), folders };
  const read = newReader({ allowedOrigins: [origin], cache, deadlineMs: 400, worker });
  const patient = { timeout: 100_000 };
  // On a busy machine the fetch may take longer than the deadline, too, and nothing is extracted then.
  const refusal = async () => read(origin).catch((error) => error);
  await vi.waitFor(async () => expect(await refusal()).toMatchObject({ kind: "busy", retryAfter: 2 }), patient);
  await vi.waitFor(() => expect(texts.size).toBe(1), patient);
  expect((await read(origin)).html).toContain("Paragraph 3 of the article");
});

test("a page whose extraction has begun, and does not end before the deadline, is a 503 that says so", async () => {
  const origin = await servePages(page(articlePage));
  const worker = { entry: new URL("./endless-worker.ts", import.meta.url), folders };
  const read = newReader({ allowedOrigins: [origin], deadlineMs: 400, worker });
  const message = expect.stringContaining("could not be extracted in time");
  const refusal = async (path: string) => read(`${origin}/${path}`).catch((error) => error);
  // On a busy machine the start of the worker, or the fetch, may take longer than the deadline.
  const patient = { timeout: 100_000 };
  await vi.waitFor(async () => expect(await refusal("ready")).toMatchObject({ html: "" }), patient);
  await vi.waitFor(
    async () => expect(await refusal("endless")).toMatchObject({ kind: "tooComplex", message }),
    patient,
  );
});

test("a page on which a parser fails is a failure of the service that the log names; one that is too deep is too complex", async () => {
  const origin = await servePages(page(articlePage));
  const worker = { entry: new URL("./endless-worker.ts", import.meta.url), folders };
  const read = newReader({ allowedOrigins: [origin], deadlineMs: 50_000, worker });
  await expect(read(`${origin}/bug`)).rejects.toMatchObject({
    kind: "unavailable",
    isTemporary: false,
    cause: { code: "WORKER_TYPEERROR" },
  });
  await expect(read(`${origin}/deep`)).rejects.toMatchObject({ kind: "tooComplex" });
});

test("a page that exceeds its processor time is a 503 with Retry-After, and is not cached", async () => {
  const origin = await servePages(page(costly));
  const { texts, cache } = recordingCache();
  const read = newReader({ allowedOrigins: [origin], cache, processorMs: 300, deadlineMs: 50_000 });
  await expect(read(origin)).rejects.toMatchObject({ kind: "tooComplex", retryAfter: 60 });
  expect(texts.size).toBe(0);
});

test("a cache that never answers is the same as an empty one", async () => {
  const origin = await servePages(page(articlePage));
  const stuck: TextCache = { find: () => never, keep: () => never };
  const view = await newReader({ allowedOrigins: [origin], cache: stuck, deadlineMs: 50_000 })(origin);
  expect(view.html).toContain("Paragraph 3 of the article");
});
