// SPDX-License-Identifier: MIT

import { fileURLToPath } from "node:url";
import { parseWebUrl } from "@reading-list/core/domain/page-fields.ts";
import type { TextRequest, TextView } from "@reading-list/core/domain/text-view.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import type { QueueLoad } from "@reading-list/core/fair-queue.ts";
import { type Clock, secondsOf } from "@reading-list/core/ports/clock.ts";
import type { PageReader, TextAnswer, TextCache, Turn } from "@reading-list/core/ports/pages.ts";
import { fetchImages } from "./epub/images.ts";
import { FetchError } from "./fetch/fetch-error.ts";
import { type FetchedPage, PageFetcher } from "./fetch/fetch-page.ts";
import { createHostResolver, type Resolve } from "./fetch/resolve-host.ts";
import {
  type Extraction,
  ExtractionPool,
  idleMs,
  type Job,
  type Results,
  type RunOptions,
} from "./processes/extraction-pool.ts";
import { workerFailed } from "./processes/worker-failed.ts";
import { CachedTexts } from "./text-cache.ts";
import type { PageView } from "./view/text-view.ts";

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
export function createPageReader(options: PageReaderOptions): ClosablePageReader {
  const { allowedOrigins, resolve = createHostResolver(), deadlineMs = 10_000, processorMs = 5_000 } = options;
  const { worker = ownWorker } = options;
  const fetcher = new PageFetcher({ allowedOrigins, resolve });
  const pool = new ExtractionPool(worker.entry, worker.folders, worker === ownWorker ? { idleMs } : {});

  async function withDeadline<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(tooSlow()), deadlineMs);
    try {
      return await work(deadline.signal);
    } finally {
      clearTimeout(timer);
      deadline.abort();
    }
  }

  const texts = new CachedTexts(options.cache, options.clock);
  const inFlight = new Map<string, Promise<FetchedPage>>();

  /** Fetches a page once for all concurrent requests for it. */
  function fetchOnce(url: URL): Promise<FetchedPage> {
    const fetched =
      inFlight.get(url.href) ?? withDeadline((signal) => untilAborted(fetcher.fetch(url, signal), signal));
    inFlight.set(url.href, fetched);
    const forget = () => inFlight.delete(url.href);
    fetched.then(forget, forget);
    return fetched;
  }

  /** Extracts a page once for requests that differ only in their mode. */
  async function extractOnce(
    { body, kind, charset, url }: PageSource,
    requests: readonly TextRequest[],
    wait: Wait,
  ): Promise<Extraction> {
    const modes = requests.map(({ mode }) => mode);
    const images = requests.some((request) => request.images);
    const job = { work: "views", body, kind, charset, url: url.href, modes, images } as const;
    return run(job, { ...wait, processorMs });
  }

  /** The views of an extraction in the order of the requests. */
  const inOrder = ({ views }: Extraction, requests: readonly TextRequest[], { href }: URL): TextView[] =>
    requests.map(({ mode }) => ({ ...(views[mode] as PageView), resolvedUrl: href }));

  /**
   * The views of a fetched page, or of the page to which it sends its readers; from its own JSON if it has little text.
   * Throws FetchError if it sends them on too often.
   */
  async function extractViews(
    page: FetchedPage,
    requests: readonly TextRequest[],
    wait: Wait,
  ): Promise<{ views: TextView[]; page: FetchedPage }> {
    const visited = new Set<string>();
    for (let shown = page; ; ) {
      visited.add(shown.url.href);
      const extraction = await extractOnce(shown, requests, wait);
      const { target, data } = extraction;
      if (target === undefined || visited.has(target)) {
        const views = data === undefined ? undefined : await viewsOfData(new URL(data), shown, requests, wait);
        return { views: views ?? inOrder(extraction, requests, shown.url), page: shown };
      }
      if (visited.size > maxTargets) throw new FetchError("redirects too many times");
      wait.signal.throwIfAborted();
      shown = await fetchOnce(new URL(target));
    }
  }

  /** The views of the JSON that a page names as its own; undefined if it cannot be fetched, or its kind is unknown. */
  async function viewsOfData(
    data: URL,
    page: FetchedPage,
    requests: readonly TextRequest[],
    wait: Wait,
  ): Promise<TextView[] | undefined> {
    if (data.origin !== page.url.origin) return undefined;
    try {
      const json = await withDeadline((signal) => untilAborted(fetcher.fetchData(data, signal), signal));
      const extraction = await extractOnce({ ...json, url: page.url }, requests, wait);
      return inOrder(extraction, requests, page.url);
    } catch (error) {
      if (error instanceof FetchError) return undefined;
      throw error;
    }
  }

  /** The result of a job. Throws `busy` if no worker was free in time, `tooComplex` if the job costs too much, `unavailable` if the worker fails. */
  async function run<Work extends Job>(
    job: Work,
    options: Wait & { processorMs: number },
  ): Promise<Results[Work["work"]]> {
    const outcome = await pool.run(job, options);
    if (outcome.kind === "busy") throw tooManyPages();
    if (outcome.kind === "refused") throw new FetchError(outcome.reason);
    if (outcome.kind === "crashed") throw workerFailed();
    if (outcome.kind === "exceeded") throw job.work === "views" ? tooExpensive() : tooLongBook();
    return outcome.result;
  }

  /** The views of a fetched page. They are cached even if the deadline expires first, so that a later request finds them. */
  async function extract(fetched: FetchedPage, requests: readonly TextRequest[], wait: Wait): Promise<TextView[]> {
    return beforeAbort(wait, async (inTime) => {
      const { views, page } = await extractViews(fetched, requests, inTime);
      await Promise.all(
        requests.map((request, index) => texts.store(request, views[index] as TextView, page.cacheControl)),
      );
      return views;
    });
  }

  /** The result of an extraction. If the deadline expires first, the error says whether a worker had begun. */
  function beforeAbort<T>(wait: Wait, work: (wait: Wait) => Promise<T>): Promise<T> {
    let hasBegun = false;
    const onBegin = () => {
      hasBegun = true;
    };
    return untilAborted(work({ ...wait, onBegin }), wait.signal).catch((error) => {
      if (!wait.signal.aborted) throw error;
      throw hasBegun ? tooExpensive() : tooManyPages();
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
    const page = await untilAborted(fetchOnce(url), wait.signal);
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
      const extraction = await beforeAbort(wait, (inTime) => extractOnce(page, requests, inTime));
      return inOrder(extraction, requests, url) as [TextView, TextView];
    }
    const [less, more] = isReload ? [] : await Promise.all(requests.map((request) => texts.find(request)));
    if (less && more) return [less, more];
    url.hash = "";
    const page = await untilAborted(fetchOnce(url), wait.signal);
    return (await extract(page, requests, wait)) as [TextView, TextView];
  }

  async function inTime<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    try {
      return await withDeadline(work);
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
      const urls = await run({ work: "imageUrls", chapters }, wait);
      const images = await fetchImages(fetcher, urls, Math.min(maxImageBytes, maxBookImageBytes), kept);
      return run({ work: "book", chapters, images, isVerbatim, now: secondsOf(options.clock) }, wait);
    },
    async close() {
      await Promise.all([fetcher.close(), pool.close()]);
    },
  };
}

/** Who waits for a worker, and for how long. */
type Wait = Omit<RunOptions, "processorMs">;
const nobody: Turn = { address: "" };

/** The part of a page that an extraction needs. */
type PageSource = Pick<FetchedPage, "body" | "kind" | "charset" | "url">;

/** Maximum pages to follow from a page without content. HTTP redirects count separately for each of them. */
const maxTargets = 3;

const folderOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const ownWorker = {
  entry: new URL("./processes/extraction-worker.ts", import.meta.url),
  folders: ["../../packages/", "../../node_modules/", "../../package.json"].map(folderOf),
};

/** Bytes of all images of a book. */
const maxBookImageBytes = 20_000_000;
/** Milliseconds of processor time for each step of a book, and for all its steps. A book of 50 long articles takes 3 s. */
const bookProcessorMs = 10_000;
const bookDeadlineMs = 25_000;

const tooSlow = () => new FetchError("takes too long to answer", { isTemporary: true });
const tooManyPages = () =>
  new ServiceError("busy", "too many pages are being read at once; try again", { retryAfter: 2 });
const tooExpensive = () =>
  new ServiceError(
    "tooComplex",
    "the text could not be extracted in time: the page is large or complex; try again later",
    {
      retryAfter: 60,
    },
  );

const tooLongBook = () =>
  new ServiceError("tooComplex", "article: the book is too long; ask for fewer pages", { retryAfter: 60 });

/** Adds the requested fragment unless a redirect named another one. */
function withFragment(resolvedUrl: string, hash: string): string {
  const url = new URL(resolvedUrl);
  if (url.hash === "") url.hash = hash;
  return url.href;
}

/** Rejects when `signal` is aborted. undici may never settle an aborted request, for example after an unrequested 101. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason));
    promise.then(resolve, reject);
  });
}
