import type { Clock } from "@reading-list/core/ports.ts";
import { LRUCache } from "lru-cache";

/** Milliseconds for which an API key or a setting may be taken from memory: what an operator changes holds by then. */
const rememberedFor = 5000;

/**
 * Reads through a memory of values seen within the last seconds, so that a warm function spends no round trip on what
 * rarely changes. Concurrent reads of one key share a request; an undefined value is not remembered.
 */
export function rememberRecent<V extends object>(clock: Clock, read: (key: string) => Promise<V | undefined>) {
  const memory = new LRUCache<string, V>({
    max: 1000,
    ttl: rememberedFor,
    ttlResolution: 0,
    perf: clock,
    fetchMethod: (key) => read(key),
  });
  return (key: string) => memory.fetch(key);
}
