// SPDX-License-Identifier: MIT

/** A percent-encoded letter, digit, `-`, `.`, `_` or `~`: RFC 3986 calls them unreserved. */
const encodedUnreserved = /%(?:2[de]|3\d|4[1-9a-f]|5[\daf]|6[1-9a-f]|7[\dae])/gi;

/**
 * The form in which two spellings of a URL are the same page: the WHATWG serialisation without percent-encoding of
 * unreserved characters, without a leading `www.`, and without the trailing slash of the path. The fragment is dropped
 * unless it contains `/`, because single-page applications keep their route there.
 */
export function canonicalForm(url: string): string {
  const parsed = new URL(url);
  if (!parsed.hash.includes("/")) parsed.hash = "";
  return parsed.href
    .replaceAll(encodedUnreserved, decodeURIComponent)
    .replace(/^(https?:\/\/(?:[^/?#]*@)?)www\.(?=[^/:?#])/, "$1")
    .replace(/^([^?#]*)\/(?=[?#]|$)/, "$1");
}

/** The item id by the SHA-256 of a URL's canonical form: 53 bits of it, so that clients can store it as a JavaScript number. */
export const digestToId = ({ buffer, byteOffset }: Uint8Array): string =>
  String(Number(new DataView(buffer, byteOffset).getBigUint64(0) >> 11n) || 1);
