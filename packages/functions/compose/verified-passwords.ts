import { createHmac, randomBytes } from "node:crypto";
import type { Stopwatch, VerifiedPasswords } from "@reading-list/core/ports.ts";
import { LRUCache } from "lru-cache";

const usersRemembered = 10_000;
/** Milliseconds after which a password is verified again. */
const rememberedFor = 15 * 60 * 1000;

/**
 * Remembers which password was right, as an HMAC under a random key of this process: one password for each username and
 * address. If that address then sends a wrong one it is forgotten, so that the lockout holds for the right one, too.
 */
export function createVerifiedPasswords(stopwatch: Stopwatch): VerifiedPasswords {
  const key = randomBytes(32);
  const seal = (password: string) => createHmac("sha256", key).update(password).digest("base64");
  const placeOf = (username: string, source: string) => `${username} ${source}`;
  const memory = new LRUCache<string, { seal: string; hash: string }>({
    max: usersRemembered,
    ttl: rememberedFor,
    ttlResolution: 0,
    perf: { now: () => stopwatch.elapsed() },
  });
  return {
    recall: (username, source, password) => {
      const entry = memory.get(placeOf(username, source));
      return entry?.seal === seal(password) ? entry.hash : undefined;
    },
    remember: (username, source, password, hash) => {
      memory.set(placeOf(username, source), { seal: seal(password), hash });
    },
    forget: (username, source) => {
      memory.delete(placeOf(username, source));
    },
  };
}
