// SPDX-License-Identifier: MIT

import type { Clock } from "@reading-list/core/ports/clock.ts";
import { LRUCache } from "lru-cache";

/**
 * Values are cached for each of these spans of the clock, so that none is older, even if the clock is set back. A change
 * by an operator takes effect with the next span.
 */
const spanMs = 5000;
/** Maximum age in ms of a value that is used when the current one cannot be read. */
const maxAgeMs = 60_000;
/** The number of values that are cached, and of keys without a value. */
const maxCached = 1000;

/**
 * Caches API keys and settings for up to 5 s, so that most calls spend no round trip on them. Concurrent reads of a key share
 * a request.
 *
 * Keys without a value are cached as well (negative cache), so that calls with an unknown API key cost no read each. A
 * key that is created within 5 s after a process looked for it becomes known to that process when they end; any other
 * new key is known immediately. The two caches are separate, so that invalid keys cannot evict valid ones.
 *
 * If a read fails, the latest value of the last minute is returned.
 */
export function cacheBriefly<V extends object>(clock: Clock, read: (key: string) => Promise<V | undefined>) {
  const missing = new LRUCache<string, true>({ max: maxCached });
  const latest = new LRUCache<string, { value: V; readAt: number }>({ max: maxCached });
  const readOrLatest = async (key: string): Promise<V | undefined> => {
    const readAt = clock.now();
    try {
      const value = await read(key);
      if (value === undefined) latest.delete(key);
      else latest.set(key, { value, readAt });
      return value;
    } catch (error) {
      const last = latest.get(key);
      if (last && Math.abs(readAt - last.readAt) <= maxAgeMs) return last.value;
      throw error;
    }
  };
  const found = new LRUCache<string, V, { key: string }>({
    max: maxCached,
    fetchMethod: async (name, _, { context: { key } }) => {
      const value = await readOrLatest(key);
      if (value === undefined) missing.set(name, true);
      return value;
    },
  });
  return async (key: string): Promise<V | undefined> => {
    const name = `${Math.floor(clock.now() / spanMs)} ${key}`;
    return missing.has(name) ? undefined : found.fetch(name, { context: { key } });
  };
}
