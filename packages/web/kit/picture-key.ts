// SPDX-License-Identifier: MIT

/**
 * The name of a kept picture in the cache: its address has another signature each week. Undefined for any other address
 * (docs/api.md 4.9).
 */
export function toPictureKey(address: string): string | undefined {
  const url = URL.parse(address);
  const hash = url?.searchParams.get("picture");
  return hash && url?.pathname.endsWith("/v2/picture") ? `${url.origin}${url.pathname}?picture=${hash}` : undefined;
}

/** The cache of kept pictures; signing out deletes it. */
export const pictureCache = "pictures";

/** Only in secure contexts. */
export const deletePictures = async () => "caches" in globalThis && (await caches.delete(pictureCache));
