import { createHash } from "node:crypto";

/** Parses an http(s) URL; undefined for anything else. */
export function parseWebUrl(url: string): URL | undefined {
  const parsed = URL.parse(url);
  return parsed?.protocol === "http:" || parsed?.protocol === "https:" ? parsed : undefined;
}

/**
 * The form in which two spellings of a URL are the same page: the WHATWG serialisation without its fragment, unless
 * the fragment holds a `/` (single-page applications keep their route there).
 */
function canonicalForm(url: string): string {
  const canonical = new URL(url);
  if (!canonical.hash.includes("/")) canonical.hash = "";
  return canonical.href;
}

/**
 * The id of the page that a valid URL names: 63 bits of the SHA-256 of its canonical form as a decimal string, so the
 * same for every user and a positive signed 64-bit integer for clients that parse it.
 */
export function itemIdOf(url: string): string {
  const digest = createHash("sha256").update(canonicalForm(url)).digest();
  return (digest.readBigUInt64BE() >> 1n).toString();
}
