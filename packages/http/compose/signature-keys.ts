// SPDX-License-Identifier: MIT

import { createSecretKey, hkdfSync, type KeyObject, randomBytes } from "node:crypto";
import type { SignatureKey } from "@reading-list/core/ports/sign-ins.ts";

/** A key for each label (HKDF, RFC 5869), from a secret that all processes share; without it, from one of this process. */
export function createSignatureKeys(secret: string | undefined): SignatureKey {
  const keys = new Map<string, KeyObject>();
  const base = secret ?? randomBytes(32);
  return (label) => {
    const known = keys.get(label);
    if (known) return known;
    const key = createSecretKey(Buffer.from(hkdfSync("sha256", base, "", label, 32)));
    keys.set(label, key);
    return key;
  };
}
