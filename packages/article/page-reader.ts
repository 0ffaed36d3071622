import { parseWebUrl } from "@reading-list/core/domain/page-fields.ts";
import type { TextRequest, TextView } from "@reading-list/core/domain/text-view.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import { type Clock, type PageReader, secondsOf, type TextAnswer, type TextCache } from "@reading-list/core/ports.ts";
import { FetchError } from "./fetch/fetch-error.ts";
import { type FetchedPage, type KnownPage, PageFetcher, type UnchangedPage } from "./fetch/fetch-page.ts";
import { createHostResolver, type Resolve } from "./fetch/resolve-host.ts";
import { ExtractionPool } from "./processes/extraction-pool.ts";
import { CachedTexts } from "./text-cache.ts";
import type { PageView } from "./view/text-view.ts";

export interface PageReaderOptions {
  /** Exact origins, such as `http://127.0.0.1:8080`, exempt from the ban on private addresses and on low ports. */
  allowedOrigins: readonly string[];
  /** The module that calls `serveExtractions` in a worker process. Default: the package's own; a bundle names itself. */
  workerEntry?: URL;
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
  close(): Promise<void>;
}

/** Creates the page reader of the text view. */
export function createPageReader(options: PageReaderOptions): ClosablePageReader {
  const { allowedOrigins, resolve = createHostResolver(), deadlineMs = 10_000, processorMs = 5_000 } = options;
  const { workerEntry = new URL("./processes/extraction-worker.ts", import.meta.url) } = options;
  const fetcher = new PageFetcher({ allowedOrigins, resolve });
  const pool = new ExtractionPool(workerEntry, processorMs);

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
  const inFlight = new Map<string, Promise<FetchedPage | UnchangedPage>>();

  /** Fetches a page once for all concurrent requests for it. */
  function fetchOnce(url: URL, known: KnownPage | undefined): Promise<FetchedPage | UnchangedPage> {
    const key = JSON.stringify([url, known]);
    const fetched =
      inFlight.get(key) ?? withDeadline((signal) => untilAborted(fetcher.fetch(url, signal, known), signal));
    inFlight.set(key, fetched);
    const forget = () => inFlight.delete(key);
    fetched.then(forget, forget);
    return fetched;
  }

  /** The views of a page for requests that differ in their mode alone, in the order of the requests. */
  async function extractViews(
    { body, kind, charset, url }: Pick<FetchedPage, "body" | "kind" | "charset" | "url">,
    requests: readonly TextRequest[],
    signal: AbortSignal,
  ): Promise<TextView[]> {
    const modes = requests.map(({ mode }) => mode);
    const images = requests.some((request) => request.images);
    const extraction = await pool.run({ body, kind, charset, url: url.href, modes, images }, signal);
    if (extraction.kind === "busy") throw tooManyPages();
    if (extraction.kind === "exceeded") throw tooExpensive();
    return modes.map((mode) => ({ ...(extraction.views[mode] as PageView), resolvedUrl: url.href }));
  }

  /** The views of a fetched page. They are cached even if the deadline expires first, so that a later request finds them. */
  async function extract(
    page: FetchedPage,
    requests: readonly TextRequest[],
    signal: AbortSignal,
  ): Promise<TextView[]> {
    const stored = extractViews(page, requests, signal).then(async (views) => {
      await Promise.all(requests.map((request, index) => texts.store(request, views[index] as TextView, page.caching)));
      return views;
    });
    return beforeAbort(stored, signal);
  }

  const beforeAbort = <T>(views: Promise<T>, signal: AbortSignal) =>
    untilAborted(views, signal).catch((error) => {
      throw signal.aborted ? tooManyPages() : error;
    });

  async function read(request: TextRequest, signal: AbortSignal): Promise<TextAnswer> {
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
    if (cached?.isFresh) return answer(cached.text.view, true);
    const page = await untilAborted(fetchOnce(url, cached?.known), signal);
    if ("unchanged" in page) {
      if (!cached) throw new Error("a 304 answer to a request without If-None-Match");
      await texts.renew(request, cached, page.unchanged);
      return answer(cached.text.view, true);
    }
    const [view] = (await extract(page, [request], signal)) as [TextView];
    return answer(view, false);
  }

  /** The views of an article in both modes, of one reading of the page. */
  async function readViews(
    address: string,
    { isReload = false, html }: { isReload?: boolean; html?: string },
    signal: AbortSignal,
  ): Promise<[TextView, TextView]> {
    const requests = (["less", "more"] as const).map((mode) => ({ url: address, mode, images: true }));
    const url = new URL(address);
    if (html !== undefined) {
      const page = { body: Buffer.from(html), kind: "html", charset: "utf-8", url } as const;
      return (await beforeAbort(extractViews(page, requests, signal), signal)) as [TextView, TextView];
    }
    const [less, more] = isReload ? [] : await Promise.all(requests.map((request) => texts.find(request)));
    if (less?.isFresh && more?.isFresh) return [less.text.view, more.text.view];
    url.hash = "";
    const page = await untilAborted(fetchOnce(url, undefined), signal);
    if ("unchanged" in page) throw new Error("a 304 answer to a request without If-None-Match");
    return (await extract(page, requests, signal)) as [TextView, TextView];
  }

  async function inTime<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    try {
      return await withDeadline(work);
    } catch (error) {
      if (error instanceof FetchError) throw new ServiceError("invalid", `url ${error.message}`, { cause: error });
      throw error;
    }
  }

  return {
    read: (request) => inTime((signal) => read(request, signal)),
    async readArticle(url, source) {
      const [less, more] = await inTime((signal) => readViews(url, source, signal));
      return { less, more };
    },
    async book(chapters, maxImageBytes = maxBookImageBytes) {
      // Imported here, because the function of `text` needs no parser in its own process.
      const [{ fetchImages }, { writeBook }] = await Promise.all([
        import("./epub/images.ts"),
        import("./epub/write-book.ts"),
      ]);
      const images = await fetchImages(
        fetcher,
        chapters.map(({ html }) => html),
        Math.min(maxImageBytes, maxBookImageBytes),
      );
      return writeBook(chapters, images, secondsOf(options.clock));
    },
    async close() {
      await Promise.all([fetcher.close(), pool.close()]);
    },
  };
}

/** Bytes of all images of a book. */
const maxBookImageBytes = 20_000_000;

const tooSlow = () => new FetchError("takes too long to answer");
const tooManyPages = () =>
  new ServiceError("unavailable", "too many pages are being read at once; try again", { retryAfter: 2 });
const tooExpensive = () =>
  new ServiceError("tooComplex", "the page is too large or too complex to extract now; try again later", {
    retryAfter: 60,
  });

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
