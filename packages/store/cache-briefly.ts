import type { Stopwatch } from "@reading-list/core/ports.ts";
import { LRUCache } from "lru-cache";

/** Milliseconds for which a value is cached. A change by an operator takes effect after that time. */
const cachedMs = 5000;
/** The number of values that are cached, and of keys without a value. */
const mostCached = 1000;

/**
 * Caches API keys and settings for 5 s, so that most calls spend no round trip on them. Concurrent reads of a key share
 * a request.
 *
 * Keys without a value are cached as well (negative cache), so that calls with an unknown API key cost no read each. A
 * key that is created within 5 s after a process looked for it becomes known to that process when they end; any other
 * new key is known immediately. The two caches are separate, so that invalid keys cannot evict valid ones.
 */
export function cacheBriefly<V extends object>(stopwatch: Stopwatch, read: (key: string) => Promise<V | undefined>) {
  const options = { max: mostCached, ttl: cachedMs, ttlResolution: 0, perf: { now: () => stopwatch.elapsed() } };
  const missing = new LRUCache<string, true>(options);
  const found = new LRUCache<string, V>({
    ...options,
    fetchMethod: async (key) => {
      const value = await read(key);
      if (value === undefined) missing.set(key, true);
      return value;
    },
  });
  return async (key: string): Promise<V | undefined> => (missing.has(key) ? undefined : found.fetch(key));
}
