// SPDX-License-Identifier: MIT

import { isUtf8 } from "node:buffer";
import type { Readable } from "node:stream";
import { FairQueue } from "@reading-list/core/fair-queue.ts";
import type { Dispatcher } from "undici";
import { assertFetchable, guardedLookup } from "./address-guard.ts";
import { acceptedEncodings, readDecoded, tooLarge } from "./content-decoding.ts";
import { FetchError } from "./fetch-error.ts";
import { declaredKind, type PageKind, parseMediaType, sniffKind } from "./media-type.ts";
import { RedirectCookies } from "./redirect-cookies.ts";
import type { Resolve } from "./resolve-host.ts";

/** The body of a page without its content encoding, and the declarations in its headers. */
export interface FetchedPage {
  /** Empty for an image, because its URL is enough. */
  body: Uint8Array;
  kind: PageKind;
  /** The `charset` parameter of the `Content-Type`, unchanged. */
  charset: string | undefined;
  /** The final URL after redirects, without credentials. */
  url: URL;
  /** The header `Cache-Control`; empty if it is missing. */
  cacheControl: string;
}

interface FollowOptions {
  accept?: string;
  /** The header `Referer`. */
  referer?: string;
  /** Redirects to another origin are refused. Undefined: they are followed. */
  origin?: string;
}

export interface PageFetcherOptions {
  /** Exact origins (`http://127.0.0.1:8080`) that may have a private address and any port. */
  allowedOrigins: readonly string[];
  resolve: Resolve;
}

/** Bytes of a page, both as sent and as decoded. */
const maxBytes = 5_000_000;
const maxPdfBytes = 20_000_000;
/** Bodies beyond `maxBytes` that are received at the same time. */
const maxLargeBodies = 4;
const maxImageBytes = 2_000_000;
/** Bytes of a picture that is made smaller before it is stored: a photograph in full size. */
const maxPictureBytes = 8_000_000;
const maxRedirects = 5;
const pictureTypes = "image/webp,image/jpeg,image/png,image/*;q=0.8";
/** Not WebP and AVIF, which many e-readers do not show. */
const imageTypes = "image/jpeg,image/png,image/gif;q=0.9,image/webp;q=0.1";

const requestHeaders = {
  "user-agent": "Mozilla/5.0 (compatible; ReadingListText/1.0)",
  accept: "text/html,application/xhtml+xml,application/xml;q=0.9,text/plain;q=0.8,*/*;q=0.1",
  "accept-language": "en,*;q=0.5",
  "accept-encoding": acceptedEncodings,
};

const noBytes = new Uint8Array();
const redirectStatuses = [301, 302, 303, 307, 308];

/** Loads undici, 1.3 MB of code, for the first page. */
async function createClient(resolve: Resolve) {
  const { Agent, request } = await import("undici");
  return {
    request,
    publicAgent: new Agent({ connect: { lookup: guardedLookup(resolve) } }),
    allowedAgent: new Agent(),
  };
}

/** Fetches pages of the public web within limits of size and redirects. Call `close` to release the sockets. */
export class PageFetcher {
  readonly #options: PageFetcherOptions;
  #client: ReturnType<typeof createClient> | undefined;
  readonly #largeBodies = new FairQueue({ atOnce: maxLargeBodies });

  constructor(options: PageFetcherOptions) {
    this.#options = options;
  }

  /**
   * Fetches a page and follows redirects; each hop is checked. Credentials in a URL are not sent. Throws FetchError if
   * the address has no page of a supported kind, and the signal's reason if it is aborted.
   */
  fetch(url: URL, signal: AbortSignal): Promise<FetchedPage> {
    return this.#follow(url, signal, {}, (response, pageUrl) => this.#readPage(response, pageUrl, signal));
  }

  /** Fetches the JSON that a page names as its own, with the checks of `fetch`. It follows no redirect to another origin. */
  async fetchData(url: URL, signal: AbortSignal): Promise<FetchedPage> {
    const options = { accept: "application/json", origin: url.origin };
    const data = await this.#follow(url, signal, options, (response, dataUrl) =>
      this.#readPage(response, dataUrl, signal),
    );
    if (data.kind !== "json") throw new FetchError("is not JSON");
    return data;
  }

  /** Fetches an image of up to 2 MB for a book, with the checks of `fetch`. */
  fetchImage(url: string, signal: AbortSignal): Promise<Uint8Array> {
    return this.#follow(new URL(url), signal, { accept: imageTypes }, readImage(maxImageBytes));
  }

  /**
   * Fetches a picture of a page, of up to 8 MB, with the checks of `fetch`. It names the site of the page, as browsers
   * do: some sites show their pictures only on their own pages.
   */
  fetchPicture(url: string, pageUrl: string, signal: AbortSignal): Promise<Uint8Array> {
    const options = { accept: pictureTypes, referer: `${new URL(pageUrl).origin}/` };
    return this.#follow(new URL(url), signal, options, readImage(maxPictureBytes));
  }

  /** Follows redirects and reads the final answer. */
  async #follow<T extends object>(
    url: URL,
    signal: AbortSignal,
    { accept = requestHeaders.accept, origin, referer }: FollowOptions,
    read: (response: Dispatcher.ResponseData, url: URL) => Promise<T>,
  ): Promise<T> {
    const cookies = new RedirectCookies();
    let hopUrl = withoutCredentials(url);
    for (let hop = 0; ; hop++) {
      try {
        const response = await this.#request(hopUrl, { cookie: cookies.header(hopUrl), accept, referer }, signal);
        if (!redirectStatuses.includes(response.statusCode)) return await read(response, hopUrl);
        response.body.destroy();
        if (hop === maxRedirects) throw new FetchError("redirects too many times");
        cookies.store(hopUrl, headerValues(response, "set-cookie"));
        hopUrl = redirectTarget(hopUrl, headerValues(response, "location")[0]);
        if (origin !== undefined && hopUrl.origin !== origin) throw new FetchError("redirects to another site");
      } catch (error) {
        signal.throwIfAborted();
        throw toFetchError(error);
      }
    }
  }

  async close(): Promise<void> {
    const client = await this.#client;
    await Promise.all([client?.publicAgent.destroy(), client?.allowedAgent.destroy()]);
  }

  async #request(
    url: URL,
    { cookie, accept, referer }: { cookie: string | undefined; accept: string; referer: string | undefined },
    signal: AbortSignal,
  ): Promise<Dispatcher.ResponseData> {
    const isAllowed = this.#options.allowedOrigins.includes(url.origin);
    if (!isAllowed) assertFetchable(url);
    this.#client ??= createClient(this.#options.resolve);
    const { request, allowedAgent, publicAgent } = await this.#client;
    const response = await request(url, {
      dispatcher: isAllowed ? allowedAgent : publicAgent,
      headers: {
        ...requestHeaders,
        accept,
        ...(cookie !== undefined && { cookie }),
        ...(referer !== undefined && { referer }),
      },
      signal,
    });
    // A body that is destroyed before it is read emits `error`; without a listener that ends the process.
    response.body.on("error", () => {});
    return response;
  }

  async #readPage(response: Dispatcher.ResponseData, url: URL, signal: AbortSignal): Promise<FetchedPage> {
    let leave = () => {};
    const wait = async () => {
      leave = await this.#largeBodies.enter("", signal);
    };
    try {
      assertSuccess(response);
      const { essence, charset } = parseMediaType(headerValues(response, "content-type").at(-1));
      const declared = declaredKind(essence, url);
      if (declared === undefined) throw unknownKind();
      const page = { charset, url, cacheControl: headerValues(response, "cache-control").join(",") };
      if (declared === "image") return { ...page, kind: "image", body: noBytes };
      const encoding = headerValues(response, "content-encoding").join(",");
      const isPdf = declared === "pdf" || declared === "any";
      const limits = isPdf ? { maxBytes: maxPdfBytes, waitAt: maxBytes, wait } : { maxBytes };
      const body = await readDecoded(response.body as Readable, encoding, limits);
      const kind = declared === "any" ? sniffKind(body, url) : declared;
      if (kind === undefined) throw unknownKind();
      if (kind === "image") return { ...page, kind, body: noBytes };
      if (kind !== "pdf" && body.byteLength > maxBytes) throw tooLarge(maxBytes);
      return { ...page, kind, body };
    } finally {
      response.body.destroy();
      leave();
    }
  }
}

const unknownKind = () => new FetchError("is not text, HTML, a PDF, an image or a feed", { code: "page_unsupported" });

const toErrorCode = (status: number) =>
  [404, 410].includes(status) ? "page_gone" : refusals.includes(status) ? "page_refused" : "page_unreadable";

/** Statuses of a page that asks for a sign-in or money, or refuses this service. */
const refusals = [401, 402, 403, 429, 451];

/** Timeout, too early, too many requests. */
const temporaryStatuses = [408, 425, 429];

function assertSuccess({ statusCode }: Dispatcher.ResponseData): void {
  if (statusCode >= 200 && statusCode <= 299) return;
  const isTemporary = statusCode >= 500 || temporaryStatuses.includes(statusCode);
  throw new FetchError(`answers with status ${statusCode}`, { isTemporary, code: toErrorCode(statusCode) });
}

const readImage =
  (maxBytes: number) =>
  async (response: Dispatcher.ResponseData): Promise<Uint8Array> => {
    try {
      assertSuccess(response);
      const encoding = headerValues(response, "content-encoding").join(",");
      return await readDecoded(response.body as Readable, encoding, { maxBytes });
    } finally {
      response.body.destroy();
    }
  };

function withoutCredentials(url: URL): URL {
  const bare = new URL(url);
  bare.username = "";
  bare.password = "";
  return bare;
}

function headerValues(response: Dispatcher.ResponseData, name: string): string[] {
  const value = response.headers[name];
  if (value === undefined) return [];
  return typeof value === "string" ? [value] : [...value];
}

/** `location` has one character for each byte of the header. */
function redirectTarget(from: URL, location: string | undefined): URL {
  const target = location === undefined ? null : URL.parse(utf8OrLatin1(location), from.href);
  if (target === null) throw new FetchError("redirects without an address");
  if (target.protocol !== "http:" && target.protocol !== "https:") {
    throw new FetchError("redirects to something other than an http(s) URL");
  }
  if (target.hash === "") target.hash = from.hash;
  return withoutCredentials(target);
}

/** Text from bytes, one in each character: as UTF-8 if they are valid UTF-8, as browsers read a `Location`. */
function utf8OrLatin1(bytes: string): string {
  const buffer = Buffer.from(bytes, "latin1");
  return isUtf8(buffer) ? buffer.toString() : bytes;
}

/** Socket errors by code, as text for a person. */
const reasonsByCode = new Map([
  ["ENOTFOUND", "has a host that was not found"],
  ["EAI_AGAIN", "has a host that could not be looked up"],
  ["ECONNREFUSED", "has a host that refuses connections"],
  ["ECONNRESET", "has a host that closed the connection"],
  ["EHOSTUNREACH", "has a host that cannot be reached"],
  ["ENETUNREACH", "has a host that cannot be reached"],
  ["ETIMEDOUT", "has a host that does not answer"],
  ["UND_ERR_CONNECT_TIMEOUT", "has a host that does not answer"],
  ["UND_ERR_SOCKET", "has a host that closed the connection"],
  ["UND_ERR_HEADERS_OVERFLOW", "answers with headers that are too large"],
]);

const decoderCode = /^(?:Z_|ZSTD_|ERR_BROTLI|ERR_ZSTD|ERR__ERROR)/;

/** Searches an error and its causes for a FetchError or a known error code. */
function toFetchError(error: unknown): FetchError {
  for (let cause = error; cause instanceof Error; cause = innerCause(cause)) {
    if (cause instanceof FetchError) return cause;
    const { code = "" } = cause as NodeJS.ErrnoException;
    if (code.startsWith("ERR_TLS") || code.includes("CERT")) {
      return new FetchError("has a host whose certificate is not valid", { cause: error, isTemporary: true });
    }
    if (decoderCode.test(code)) {
      return new FetchError("has a damaged content encoding", { cause: error });
    }
    const reason = reasonsByCode.get(code);
    if (reason !== undefined) return new FetchError(reason, { cause: error, isTemporary: true });
  }
  return new FetchError("could not be fetched", { cause: error, isTemporary: true });
}

function innerCause(error: Error): unknown {
  return error instanceof AggregateError ? error.errors[0] : error.cause;
}
