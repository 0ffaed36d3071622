// SPDX-License-Identifier: MIT

import { fileURLToPath } from "node:url";
import { parseWebUrl } from "@reading-list/core/domain/page-fields.ts";
import type { TextRequest, TextView } from "@reading-list/core/domain/text-view.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import type { QueueLoad } from "@reading-list/core/fair-queue.ts";
import { type Clock, unixTime } from "@reading-list/core/ports/clock.ts";
import type { PageReader, TextAnswer, TextCache, Turn } from "@reading-list/core/ports/pages.ts";
import { untilAborted, withDeadline } from "./deadline.ts";
import { fetchImages } from "./epub/images.ts";
import { FetchError } from "./fetch/fetch-error.ts";
import { type FetchedPage, PageFetcher } from "./fetch/fetch-page.ts";
import { createHostResolver, type Resolve } from "./fetch/resolve-host.ts";
import { SharedFetches } from "./fetch/shared-fetches.ts";
import { PageViews } from "./page-views.ts";
import { ExtractionPool, idleMs } from "./processes/extraction-pool.ts";
import { beforeAbort, runPageJob, tooManyPages, type Wait } from "./processes/page-jobs.ts";
import { CachedTexts } from "./text-cache.ts";

export interface PageReaderOptions {
  /** Exact origins, such as `http://127.0.0.1:8080`, exempt from the ban on private addresses and on low ports. */
  allowedOrigins: readonly string[];
  /**
   * The module that calls `serveExtractions` in a worker process, and the folders that it reads. Default: the package's
   * own; a bundle names itself.
   */
  worker?: { entry: URL; folders: readonly string[] };
  /** Stores text views for reuse. */
  cache: TextCache;
  clock: Clock;
  /** Finds the addresses of a host name. Default: `createHostResolver`. Allowed origins use the system's lookup. */
  resolve?: Resolve;
  /** Milliseconds for one request: lookup, fetch and extraction. Default: 10,000. */
  deadlineMs?: number;
  /** Milliseconds of processor time that an extraction may use. Default: 5,000. */
  processorMs?: number;
}

/** A page reader that owns sockets and worker processes. They do not keep the process alive. */
export interface ClosablePageReader extends PageReader {
  /** Of its worker processes. */
  load(): QueueLoad;
  close(): Promise<void>;
}

/** Creates the page reader of the text view. */
export function createPageReader({
  allowedOrigins,
  worker = ownWorker,
  cache,
  clock,
  resolve = createHostResolver(),
  deadlineMs = 10_000,
  processorMs = 5_000,
}: PageReaderOptions): ClosablePageReader {
  const fetcher = new PageFetcher({ allowedOrigins, resolve });
  const pool = new ExtractionPool(worker.entry, worker.folders, worker === ownWorker ? { idleMs } : {});
  const fetches = new SharedFetches(fetcher, deadlineMs);
  const texts = new CachedTexts(cache, clock);
  const pageViews = new PageViews(fetches, pool, processorMs);

  /** The views of a fetched page. They are cached even if the deadline expires first, so that a later request finds them. */
  function extract(fetched: FetchedPage, requests: readonly TextRequest[], wait: Wait): Promise<TextView[]> {
    return beforeAbort(wait, async (inTime) => {
      const { views, page } = await pageViews.ofPage(fetched, requests, inTime);
      await Promise.all(
        requests.map((request, index) => texts.store(request, views[index] as TextView, page.cacheControl)),
      );
      return views;
    });
  }

  async function read(request: TextRequest, wait: Wait): Promise<TextAnswer> {
    const url = parseWebUrl(request.url);
    if (url === undefined) throw new FetchError("is not an http(s) URL");
    const { hash } = url;
    url.hash = "";
    const answer = (view: TextView, isCached: boolean) => ({
      ...view,
      resolvedUrl: withFragment(view.resolvedUrl, hash),
      isCached,
    });
    const cached = await texts.find(request);
    if (cached) return answer(cached, true);
    // Before the page is fetched: 150 refused calls a second would fetch as many pages.
    if (pool.isFullFor(wait.turn)) throw tooManyPages();
    const page = await untilAborted(fetches.page(url), wait.signal);
    const [view] = (await extract(page, [request], wait)) as [TextView];
    return answer(view, false);
  }

  /** The views of an article in both modes, of one reading of the page. */
  async function readViews(
    address: string,
    { isReload = false, html }: { isReload?: boolean; html?: string },
    wait: Wait,
  ): Promise<[TextView, TextView]> {
    const requests = (["less", "more"] as const).map((mode) => ({ url: address, mode, images: true }));
    const url = new URL(address);
    if (html !== undefined) {
      const page = { body: Buffer.from(html), kind: "html", charset: "utf-8", url } as const;
      const views = await beforeAbort(wait, (inTime) => pageViews.ofSource(page, requests, inTime));
      return views as [TextView, TextView];
    }
    const [less, more] = isReload ? [] : await Promise.all(requests.map((request) => texts.find(request)));
    if (less && more) return [less, more];
    url.hash = "";
    const page = await untilAborted(fetches.page(url), wait.signal);
    return (await extract(page, requests, wait)) as [TextView, TextView];
  }

  /** The result of work within the deadline. An error of the page becomes `invalid`, and names the parameter. */
  async function inTime<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    try {
      return await withDeadline(deadlineMs, work);
    } catch (error) {
      if (!(error instanceof FetchError)) throw error;
      const { message, code, isTemporary } = error;
      throw new ServiceError("invalid", `url ${message}`, { code, isTemporary, cause: error });
    }
  }

  return {
    load: pool.load,
    read: (request, turn = nobody) => inTime((signal) => read(request, { signal, turn })),
    async readArticle(url, source, turn = nobody) {
      const [less, more] = await inTime((signal) => readViews(url, source, { signal, turn }));
      return { less, more };
    },
    async book(chapters, { maxImageBytes = maxBookImageBytes, turn = nobody, isVerbatim = false, kept } = {}) {
      const wait = { processorMs: bookProcessorMs, turn, signal: AbortSignal.timeout(bookDeadlineMs) };
      const urls = await runPageJob(pool, { work: "imageUrls", chapters }, wait);
      const images = await fetchImages(fetcher, urls, Math.min(maxImageBytes, maxBookImageBytes), kept);
      return runPageJob(pool, { work: "book", chapters, images, isVerbatim, now: unixTime(clock) }, wait);
    },
    async close() {
      await Promise.all([fetcher.close(), pool.close()]);
    },
  };
}

const nobody: Turn = { address: "" };

const toFolder = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const ownWorker = {
  entry: new URL("./processes/extraction-worker.ts", import.meta.url),
  folders: ["../../packages/", "../../node_modules/", "../../package.json"].map(toFolder),
};

/** Bytes of all images of a book. */
const maxBookImageBytes = 20_000_000;
/** Milliseconds of processor time for each step of a book, and for all its steps. A book of 50 long articles takes 3 s. */
const bookProcessorMs = 10_000;
const bookDeadlineMs = 25_000;

/** Adds the requested fragment unless a redirect named another one. */
function withFragment(resolvedUrl: string, hash: string): string {
  const url = new URL(resolvedUrl);
  if (url.hash === "") url.hash = hash;
  return url.href;
}
