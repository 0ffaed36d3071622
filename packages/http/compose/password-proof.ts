// SPDX-License-Identifier: MIT

import { createHmac, createSecretKey, randomBytes } from "node:crypto";
import type { PasswordProof } from "@reading-list/core/ports/sign-ins.ts";

/** Seconds for which a proof is valid; then a new one is made, which costs a verification. */
const periodSeconds = 86_400;
/** 132 bits. */
const proofLength = 22;

/**
 * Proofs under a secret that all processes share; without one, each process has its own. Each user's period begins at
 * another time of the day, so that not all passwords are checked again at midnight.
 */
export function createPasswordProof(secret: string | undefined): PasswordProof {
  // Every HMAC would import a key of bytes again, at five times the cost.
  const key = createSecretKey(secret === undefined ? randomBytes(32) : Buffer.from(secret));
  const hmac = (...parts: unknown[]) => createHmac("sha256", key).update(JSON.stringify(parts)).digest("base64url");
  return ({ username, source, password }, now) => {
    // Without a hash, which takes as long as a query of the database.
    let offset = 0;
    for (const character of username) offset = (31 * offset + character.charCodeAt(0)) % periodSeconds;
    const period = Math.floor((now + offset) / periodSeconds);
    return hmac(username, source, period, password).slice(0, proofLength);
  };
}
