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
