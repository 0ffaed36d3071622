import { count } from "@reading-list/core/call-scope.ts";
import type { PasswordHasher } from "@reading-list/core/ports.ts";
import argon2 from "argon2";

/** OWASP's parameters for argon2id, the library's default kind: 19 MiB, two passes, one lane. */
const owaspCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

const zeros = (bytes: number) => Buffer.alloc(bytes).toString("base64").replaceAll("=", "");

/** Hashes passwords with argon2id. Only tests lower the cost: 25 ms of a processor for each password. */
export function createPasswordHasher(cost = owaspCost): PasswordHasher {
  const { memoryCost, timeCost, parallelism } = cost;
  // Verified in place of a missing hash, so that an unknown user takes as long as a wrong password.
  const dummyHash = `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${zeros(16)}$${zeros(32)}`;
  return {
    hash: (password) => argon2.hash(password, cost),
    verify: async (stored, password) => {
      count("passwordsVerified");
      const right = await argon2.verify(stored ?? dummyHash, password);
      return stored !== undefined && right;
    },
  };
}
