import { parseWebUrl } from "@reading-list/core/domain/item-id.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import type { Clock, PageReader, TextAnswer, TextCache, TextRequest, TextView } from "@reading-list/core/ports.ts";
import { type Resolve, resolveBySystem } from "./address-guard.ts";
import { decodePage } from "./charset.ts";
import { ExtractionPool } from "./extraction-pool.ts";
import { FetchFailure } from "./fetch-failure.ts";
import { type FetchedPage, type KnownPage, PageFetcher, type UnchangedPage } from "./fetch-page.ts";
import { KeptTexts } from "./kept-texts.ts";
import { viewUnparsed } from "./plain-fallback.ts";

export interface PageReaderOptions {
  /** Exact origins, such as `http://127.0.0.1:8080`, exempt from the ban on private addresses and on low ports. */
  allowedOrigins: readonly string[];
  /** The module that calls `serveExtractions` in a worker thread; the package's own where it is not bundled. */
  workerEntry?: URL;
  /** Keeps texts for a while. */
  cache: TextCache;
  clock: Clock;
  /** Finds the addresses of a host name; the system's resolver by default. */
  resolve?: Resolve;
  /** Milliseconds for everything that one page takes. */
  deadlineMs?: number;
  /** Milliseconds of the deadline that extraction may take. */
  extractionMs?: number;
  /** Bytes of a page, as sent and as decoded. */
  maxBytes?: number;
  maxRedirects?: number;
  /** Worker threads at most, and megabytes of heap for each. */
  workers?: number;
  heapMb?: number;
}

/** A page reader that holds sockets and worker threads; none of them keeps the process alive. */
export interface ClosablePageReader extends PageReader {
  close(): Promise<void>;
}

/** The reader behind the text view (spec section 4.7). */
export function createPageReader(options: PageReaderOptions): ClosablePageReader {
  const { allowedOrigins, resolve = resolveBySystem, maxBytes = 5_000_000, maxRedirects = 5 } = options;
  const { deadlineMs = 10_000, extractionMs = 5_000, workers = 2, heapMb = 256 } = options;
  const { workerEntry = new URL("./extraction-worker.ts", import.meta.url) } = options;
  const fetcher = new PageFetcher({ allowedOrigins, resolve, maxBytes, maxRedirects });
  const pool = new ExtractionPool({ workerEntry, workers, extractionMs, heapMb });

  async function withDeadline<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(new FetchFailure("takes too long to answer")), deadlineMs);
    try {
      return await work(deadline.signal);
    } finally {
      clearTimeout(timer);
      deadline.abort();
    }
  }

  const texts = new KeptTexts(options.cache, options.clock);
  const underWay = new Map<string, Promise<FetchedPage | UnchangedPage>>();

  /** Fetches a page once for all who ask for it at the same time. */
  function fetchOnce(url: URL, known: KnownPage | undefined): Promise<FetchedPage | UnchangedPage> {
    const key = JSON.stringify([url, known]);
    const fetched =
      underWay.get(key) ?? withDeadline((signal) => untilAborted(fetcher.fetch(url, signal, known), signal));
    underWay.set(key, fetched);
    const forget = () => underWay.delete(key);
    fetched.then(forget, forget);
    return fetched;
  }

  async function extract(page: FetchedPage, { mode, images }: TextRequest, signal: AbortSignal) {
    const { body, kind, charset, url } = page;
    const extraction = await pool.run({ body, kind, charset, url: url.href, mode, images }, signal);
    if (extraction.kind === "busy") {
      throw new ServiceError("unavailable", "too many pages are being read at once; try again", { retryAfter: 2 });
    }
    const isWhole = extraction.kind === "view";
    const view = isWhole ? extraction.view : viewUnparsed(await decodedText(page), mode);
    return { isWhole, view: { ...view, resolvedUrl: url.href } };
  }

  async function read(request: TextRequest, signal: AbortSignal): Promise<TextAnswer> {
    const url = parseWebUrl(request.url);
    if (url === undefined) throw new FetchFailure("is not an http(s) URL");
    const { hash } = url;
    url.hash = "";
    const answer = (view: TextView, isKept: boolean) => ({
      ...view,
      resolvedUrl: withFragment(view.resolvedUrl, hash),
      isKept,
    });
    const kept = await texts.find(request);
    if (kept?.isFresh) return answer(kept.text.view, true);
    const page = await untilAborted(fetchOnce(url, kept?.known), signal);
    if ("unchanged" in page) {
      if (!kept) throw new Error("a page that is not known cannot be unchanged");
      await texts.renew(request, kept, page.unchanged);
      return answer(kept.text.view, true);
    }
    const { view, isWhole } = await extract(page, request, signal);
    // What was cut short is not worth keeping.
    if (isWhole) await texts.keep(request, view, page.caching);
    return answer(view, false);
  }

  return {
    async read(request) {
      try {
        return await withDeadline((signal) => read(request, signal));
      } catch (error) {
        if (error instanceof FetchFailure)
          throw new ServiceError("invalid", `text: url ${error.message}`, { cause: error });
        throw error;
      }
    },
    async close() {
      await Promise.all([fetcher.close(), pool.close()]);
    },
  };
}

/** Where a redirect says no other, the page is still at the place in it that was asked for. */
function withFragment(resolvedUrl: string, hash: string): string {
  const url = new URL(resolvedUrl);
  if (url.hash === "") url.hash = hash;
  return url.href;
}

function decodedText({ body, charset, kind }: FetchedPage): Promise<string> {
  return decodePage(body, { charset, xml: kind === "xml" });
}

/** Some servers can keep a request from settling even when it is aborted (an unasked-for 101, for one). */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason));
    promise.then(resolve, reject);
  });
}
