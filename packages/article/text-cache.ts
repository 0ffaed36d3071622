// SPDX-License-Identifier: MIT

import { createHash } from "node:crypto";
import type { TextRequest, TextView } from "@reading-list/core/domain/text-view.ts";
import { type Clock, unixTime } from "@reading-list/core/ports/clock.ts";
import type { TextCache } from "@reading-list/core/ports/pages.ts";
import { parseFreshness } from "./fetch/freshness.ts";

/** Milliseconds that the cache may take. A slow cache is treated as an empty one. */
const cacheTimeoutMs = 1500;

/** Text views stored by request, as long as their pages are fresh. A cache that fails is treated as an empty one. */
export class CachedTexts {
  readonly #cache: TextCache;
  readonly #clock: Clock;

  constructor(cache: TextCache, clock: Clock) {
    this.#cache = cache;
    this.#clock = clock;
  }

  async find(request: TextRequest): Promise<TextView | undefined> {
    const text = await withTimeout(this.#cache.find(cacheKey(request)));
    return text && unixTime(this.#clock) < text.freshUntil ? text.view : undefined;
  }

  /** Stores a text for as long as the `Cache-Control` of its page allows. */
  async store(request: TextRequest, view: TextView, cacheControl: string): Promise<void> {
    const freshSeconds = parseFreshness(cacheControl);
    if (freshSeconds === undefined) return;
    const freshUntil = unixTime(this.#clock) + freshSeconds;
    await withTimeout(this.#cache.keep(cacheKey(request), { view, freshUntil }));
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
function cacheKey({ url, mode, images }: TextRequest): string {
  const page = new URL(url);
  page.hash = page.username = page.password = "";
  return createHash("sha256")
    .update(JSON.stringify([page.href, mode, images]))
    .digest("hex");
}
