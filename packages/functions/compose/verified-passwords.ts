import { createHmac, randomBytes } from "node:crypto";
import type { Stopwatch, VerifiedPasswords } from "@reading-list/core/ports.ts";
import { LRUCache } from "lru-cache";

const maxEntries = 10_000;
/** Milliseconds after which a password is verified again. */
const cachedMs = 15 * 60 * 1000;

/**
 * Caches which password was right, as an HMAC under a random key of this process: one password for each username and
 * address. If that address then sends a wrong one it is deleted, so that the lockout holds for the right one, too.
 */
export function createVerifiedPasswords(stopwatch: Stopwatch): VerifiedPasswords {
  const key = randomBytes(32);
  const hmac = (password: string) => createHmac("sha256", key).update(password).digest("base64");
  const cacheKeyOf = (username: string, source: string) => `${username} ${source}`;
  const cache = new LRUCache<string, { hmac: string; hash: string }>({
    max: maxEntries,
    ttl: cachedMs,
    ttlResolution: 0,
    perf: { now: () => stopwatch.elapsed() },
  });
  return {
    get: (username, source, password) => {
      const entry = cache.get(cacheKeyOf(username, source));
      return entry?.hmac === hmac(password) ? entry.hash : undefined;
    },
    set: (username, source, password, hash) => {
      cache.set(cacheKeyOf(username, source), { hmac: hmac(password), hash });
    },
    delete: (username, source) => {
      cache.delete(cacheKeyOf(username, source));
    },
  };
}
