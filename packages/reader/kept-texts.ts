import { createHash } from "node:crypto";
import {
  type CachedText,
  type Clock,
  secondsOf,
  type TextCache,
  type TextRequest,
  type TextView,
} from "@reading-list/core/ports.ts";
import type { KnownPage } from "./fetch-page.ts";
import { type CachingHeaders, freshSecondsOf } from "./freshness.ts";

/** Raised with each change of what the reader makes of a page, so that no text of an older reader is served. */
const readerVersion = 1;

/** A text that is kept, and what its page is known by. */
interface KeptText {
  view: TextView;
  isFresh: boolean;
  known: KnownPage | undefined;
  text: CachedText;
}

/** The texts that were made before, by what was asked for. A cache that fails is the same as an empty one. */
export class KeptTexts {
  readonly #cache: TextCache;
  readonly #clock: Clock;

  constructor(cache: TextCache, clock: Clock) {
    this.#cache = cache;
    this.#clock = clock;
  }

  async find(request: TextRequest): Promise<KeptText | undefined> {
    const text = await this.#cache.find(keyOf(request)).catch(() => undefined);
    if (!text) return undefined;
    const { view, etag, freshUntil } = text;
    const known = etag === undefined ? undefined : { url: view.resolvedUrl, etag };
    return { view, text, known, isFresh: secondsOf(this.#clock) < freshUntil };
  }

  /** Keeps a text as long as its page's origin allows. */
  async keep(request: TextRequest, view: TextView, caching: CachingHeaders): Promise<void> {
    const freshSeconds = freshSecondsOf(caching);
    if (freshSeconds === undefined) return;
    await this.#store(request, { view, freshSeconds, etag: caching.etag, freshUntil: 0 });
  }

  /** Keeps a text for another while, as its page has not changed. */
  async renew(request: TextRequest, { text }: KeptText): Promise<void> {
    await this.#store(request, text);
  }

  async #store(request: TextRequest, text: CachedText): Promise<void> {
    const freshUntil = secondsOf(this.#clock) + text.freshSeconds;
    await this.#cache.keep(keyOf(request), { ...text, freshUntil }).catch(() => {});
  }
}

function keyOf({ url, mode, images }: TextRequest): string {
  const parts = [readerVersion, new URL(url).href, mode, images];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}
