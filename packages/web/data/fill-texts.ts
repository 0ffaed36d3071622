// SPDX-License-Identifier: MIT

import type { LocalItem, ReadingListClient } from "@reading-list/client/main.ts";
import type { IDBPDatabase } from "idb";
import type { CachedFacts, TextsSchema } from "./cached-text.ts";
import { isShortOfCalls } from "./spared-calls.ts";

/** Caches the texts of the newest unread items, besides those of the most recently opened articles. */
const maxUnread = 100;
const maxCharacters = 15_000_000;
const dayMs = 86_400_000;

/** The cache that is filled. */
interface Cache {
  database: IDBPDatabase<TextsSchema>;
  /** The facts of the cached texts, by URL. */
  cached(): ReadonlyMap<string, CachedFacts>;
  limits(): ReadingListClient["limits"];
  /** Texts that were read before this time, in milliseconds, are read again. */
  refreshed: number;
  /** URLs of articles that were opened last. */
  opened: readonly string[];
  /** Reads a text from the database. */
  findFacts(url: string): Promise<CachedFacts | undefined>;
  /** Caches a text of at most `left` characters. Returns its characters; Infinity if none can be cached for now. */
  cache(url: string, left: number, options: { refresh: boolean; hasFailed: boolean }): Promise<number>;
  /** Shows what is cached after texts were deleted. */
  keep(facts: ReadonlyMap<string, CachedFacts>): void;
}

/**
 * Caches the texts of the newest unread items, one after the other, and evicts all others except the most recently opened
 * ones. Each sync ends with it, so it reads no text that is known to be fresh.
 */
export async function fillTexts(items: readonly LocalItem[], cache: Cache): Promise<void> {
  const { database, refreshed } = cache;
  const unread: LocalItem[] = [];
  for (const item of items) {
    if (unread.length === maxUnread) break;
    if (item.state === "unread") unread.push(item);
  }
  const opened = new Set(cache.opened);
  const listed = new Set(items.filter(({ url }) => opened.has(url)).map(({ url }) => url));
  const urls = new Set([...unread.map(({ url }) => url), ...cache.opened.filter((url) => listed.has(url))]);
  await evict(cache, urls);
  const { store } = database.transaction("failures");
  const [failed, times] = await Promise.all([store.getAllKeys(), store.getAll()]);
  const retryTimes = new Map(failed.map((url, i) => [url, times[i]]));
  const isFresh = ({ readAt, picturesUntil = 0 }: CachedFacts) =>
    (readAt?.getTime() ?? 0) >= refreshed && picturesUntil * 1000 > Date.now();
  let left = maxCharacters;
  for (const url of urls) {
    const retryAt = retryTimes.get(url)?.getTime() ?? 0;
    const isFailing = Math.abs(Date.now() - retryAt) < dayMs && Date.now() < retryAt;
    const known = cache.cached().get(url);
    if (!known && isFailing) continue;
    // Another tab may have cached it, or read it again.
    const cached = known && isFresh(known) ? known : await cache.findFacts(url);
    // A text that no longer fits makes room for the texts of newer items.
    if (cached && cached.size > left) {
      await database.delete("texts", url);
      cache.keep(new Map([...cache.cached()].filter(([each]) => each !== url)));
    }
    if (cached && (isFresh(cached) || isFailing)) left -= cached.size;
    else {
      const isStale = cached !== undefined && (cached.readAt?.getTime() ?? 0) < refreshed;
      const options = { refresh: isStale, hasFailed: retryAt > 0 };
      left -= (await cache.cache(url, left, options)) || (cached?.size ?? 0);
    }
    if (left <= 0 || isShortOfCalls(cache.limits())) return;
  }
}

async function evict({ database, cached, keep }: Cache, wanted: ReadonlySet<string>): Promise<void> {
  for (const name of ["texts", "failures"] as const) {
    const transaction = database.transaction(name, "readwrite");
    for (const url of await transaction.store.getAllKeys()) {
      if (!wanted.has(url)) await transaction.store.delete(url);
    }
    await transaction.done;
  }
  const facts = [...cached()].filter(([url]) => wanted.has(url));
  if (facts.length < cached().size) keep(new Map(facts));
}
