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

/** Seconds after which a text is made anew even where its page has not changed, as the reader may have. */
const oldest = 86_400;

/** Milliseconds that a cache may take; a slow one is the same as an empty one. */
const patience = 1500;

/** A text that is kept, and what its page is known by. */
interface KeptText {
  text: CachedText;
  isFresh: boolean;
  known: KnownPage | undefined;
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
    const text = await withinPatience(this.#cache.find(keyOf(request)));
    const now = secondsOf(this.#clock);
    if (!text || now - text.madeAt >= oldest) return undefined;
    const known = text.etag === undefined ? undefined : { url: text.view.resolvedUrl, etag: text.etag };
    return { text, known, isFresh: now < text.freshUntil };
  }

  /** Keeps a text as long as its page's origin allows. */
  async keep(request: TextRequest, view: TextView, caching: CachingHeaders): Promise<void> {
    const now = secondsOf(this.#clock);
    const freshSeconds = freshSecondsOf(caching);
    if (freshSeconds === undefined) return;
    const text = { view, freshSeconds, freshUntil: now + freshSeconds, etag: caching.etag, madeAt: now };
    await withinPatience(this.#cache.keep(keyOf(request), text));
  }

  /** Keeps a text for another while, as its page has not changed; where its origin now forbids that, no longer. */
  async renew(request: TextRequest, { text }: KeptText, caching: CachingHeaders): Promise<void> {
    const etag = caching.etag ?? text.etag;
    const freshSeconds = caching.cacheControl === "" ? text.freshSeconds : freshSecondsOf({ ...caching, etag });
    if (freshSeconds === undefined) return;
    const freshUntil = secondsOf(this.#clock) + freshSeconds;
    await withinPatience(this.#cache.keep(keyOf(request), { ...text, freshSeconds, freshUntil, etag }));
  }
}

/** What a cache answers in time; undefined where it fails or is late. */
async function withinPatience<T>(answer: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, patience, undefined);
  });
  try {
    return await Promise.race([answer, late]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

/** The same for all spellings that fetch the same page. */
function keyOf({ url, mode, images }: TextRequest): string {
  const page = new URL(url);
  page.hash = page.username = page.password = "";
  return createHash("sha256")
    .update(JSON.stringify([page.href, mode, images]))
    .digest("hex");
}
