// SPDX-License-Identifier: MIT

import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";

/** A signature of 132 bits, as text for URLs. */
export const signText = (key: KeyObject, text: string): string =>
  createHmac("sha256", key).update(text).digest("base64url").slice(0, 22);

/** Whether a text is the signature of another one. */
export const isSignature = (key: KeyObject, text: string, signature: string): boolean => {
  const [expected, given] = [Buffer.from(signText(key, text)), Buffer.from(signature)];
  return expected.length === given.length && timingSafeEqual(expected, given);
};

/** A value as JSON with its signature, as text for URLs. Whoever has it can read the value. */
export function signValue(key: KeyObject, value: unknown): string {
  const payload = Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${payload}.${signText(key, payload)}`;
}

/** The value that `signValue` has signed with this key; undefined for every other text. */
export function openSigned(key: KeyObject, signed: string): unknown {
  const [payload = "", signature = "", ...more] = signed.split(".");
  if (more.length > 0 || !isSignature(key, payload, signature)) return undefined;
  return JSON.parse(Buffer.from(payload, "base64url").toString());
}
