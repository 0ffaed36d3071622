import { randomBytes } from "node:crypto";
import type { PasswordHasher } from "@reading-list/core/ports.ts";
import argon2 from "argon2";

/** OWASP's parameters for argon2id, the library's default kind: 19 MiB, two passes, one lane. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Hashes passwords with argon2id. */
export function createPasswordHasher(): PasswordHasher {
  // Verified in place of a missing hash, so that an unknown user takes as long as a wrong password.
  let nobody: Promise<string> | undefined;
  const hash = (password: string) => argon2.hash(password, parameters);
  return {
    hash,
    verify: async (stored, password) => {
      nobody ??= hash(randomBytes(16).toString("hex"));
      const right = await argon2.verify(stored ?? (await nobody), password);
      return stored !== undefined && right;
    },
  };
}
