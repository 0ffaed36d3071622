// SPDX-License-Identifier: MIT

import { createHash } from "node:crypto";
import type { TextRequest, TextView } from "@reading-list/core/domain/text-view.ts";
import { type CachedText, type Clock, secondsOf, type TextCache } from "@reading-list/core/ports.ts";
import type { KnownPage } from "./fetch/fetch-page.ts";
import { type CachingHeaders, freshSecondsOf } from "./fetch/freshness.ts";

/** Seconds after which a text is extracted again even if its page has not changed, because the reader may have. */
const maxAgeSeconds = 86_400;

/** Milliseconds that the cache may take. A slow cache is treated as an empty one. */
const cacheTimeoutMs = 1500;

interface CachedPageText {
  text: CachedText;
  isFresh: boolean;
  known: KnownPage | undefined;
}

/** Text views stored by request, with HTTP freshness rules. A cache that fails is treated as an empty one. */
export class CachedTexts {
  readonly #cache: TextCache;
  readonly #clock: Clock;

  constructor(cache: TextCache, clock: Clock) {
    this.#cache = cache;
    this.#clock = clock;
  }

  async find(request: TextRequest): Promise<CachedPageText | undefined> {
    const text = await withTimeout(this.#cache.find(keyOf(request)));
    const now = secondsOf(this.#clock);
    if (!text || now - text.madeAt >= maxAgeSeconds) return undefined;
    const known = text.etag === undefined ? undefined : { url: text.view.resolvedUrl, etag: text.etag };
    return { text, known, isFresh: now < text.freshUntil };
  }

  /** Stores a text for as long as the `Cache-Control` of its page allows. */
  async store(request: TextRequest, view: TextView, caching: CachingHeaders): Promise<void> {
    const now = secondsOf(this.#clock);
    const freshSeconds = freshSecondsOf(caching);
    if (freshSeconds === undefined) return;
    const text = { view, freshSeconds, freshUntil: now + freshSeconds, etag: caching.etag, madeAt: now };
    await withTimeout(this.#cache.keep(keyOf(request), text));
  }

  /** Extends a text's freshness after a 304 answer, unless the origin now forbids caching. */
  async renew(request: TextRequest, { text }: CachedPageText, caching: CachingHeaders): Promise<void> {
    const etag = caching.etag ?? text.etag;
    const freshSeconds = caching.cacheControl === "" ? text.freshSeconds : freshSecondsOf({ ...caching, etag });
    if (freshSeconds === undefined) return;
    const freshUntil = secondsOf(this.#clock) + freshSeconds;
    await withTimeout(this.#cache.keep(keyOf(request), { ...text, freshSeconds, freshUntil, etag }));
  }
}

/** The cache's answer; undefined if it fails or takes longer than `cacheTimeoutMs`. */
async function withTimeout<T>(answer: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, cacheTimeoutMs, undefined);
  });
  try {
    return await Promise.race([answer, late]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

/** The same key for all spellings of a URL that fetch the same page: without fragment and credentials. */
function keyOf({ url, mode, images }: TextRequest): string {
  const page = new URL(url);
  page.hash = page.username = page.password = "";
  return createHash("sha256")
    .update(JSON.stringify([page.href, mode, images]))
    .digest("hex");
}
