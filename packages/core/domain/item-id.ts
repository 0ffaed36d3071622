import { createHash } from "node:crypto";
import { canonicalForm } from "./canonical-form.ts";

/**
 * The id of the page that a valid URL names, as a decimal string: 53 bits of the SHA-256 of its canonical form. The
 * same for every user, and below 2^53 so that clients can store it as a JavaScript number.
 */
export function itemIdOf(url: string): string {
  const digest = createHash("sha256").update(canonicalForm(url)).digest();
  return String(Number(digest.readBigUInt64BE() >> 11n) || 1);
}
