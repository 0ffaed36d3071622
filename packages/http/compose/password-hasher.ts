// SPDX-License-Identifier: MIT

import { count } from "@reading-list/core/call-scope.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import { FairQueue, type QueueLoad } from "@reading-list/core/fair-queue.ts";
import type { PasswordHasher } from "@reading-list/core/ports/sign-ins.ts";

/** OWASP's parameters for argon2id, the library's default kind: 19 MiB, two passes, one lane. */
const owaspCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

const zeros = (bytes: number) => Buffer.alloc(bytes).toString("base64").replaceAll("=", "");

/** Hashes at once; libuv's other two threads are free for files and compression. */
const hashesAtOnce = 2;
/** Milliseconds for which a password waits for its turn. */
const maxWaitMs = 5000;
const busy = () => new ServiceError("busy", "too many sign-ins at once; try again", { retryAfter: 5 });

/**
 * Loaded with the first password: a worker process that a function starts from its own bundle cannot load native code.
 */
const loadArgon2 = async () => (await import("argon2")).default;

/** Hashes passwords with argon2id. Only tests lower the cost: 25 ms of a processor for each password. */
export function createPasswordHasher(cost = owaspCost): PasswordHasher & { load(): QueueLoad } {
  const { memoryCost, timeCost, parallelism } = cost;
  // Verified instead of a missing hash, so that an unknown user takes as long as a wrong password.
  const dummyHash = `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${zeros(16)}$${zeros(32)}`;
  const queue = new FairQueue({ atOnce: hashesAtOnce });
  const inTurn = <T>(address: string | undefined, work: () => Promise<T>) =>
    queue.run(address ?? "", AbortSignal.timeout(maxWaitMs), work).catch((error) => {
      throw error instanceof DOMException ? busy() : error;
    });
  return {
    load: () => queue.load(),
    hash: (password, address) => inTurn(address, async () => (await loadArgon2()).hash(password, cost)),
    verify: async (stored, password, address) => {
      count("passwordsVerified");
      const right = await inTurn(address, async () => (await loadArgon2()).verify(stored ?? dummyHash, password));
      if (stored !== undefined && right) return true;
      count("passwordsWrong");
      return false;
    },
  };
}
