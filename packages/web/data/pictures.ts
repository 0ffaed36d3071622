// SPDX-License-Identifier: MIT

import { pictureCache, toPictureKey } from "../kit/picture-key.ts";

/** The oldest ones make room for new ones. */
const maxCached = 1000;

/** Only in secure contexts. */
const openCache = async () => ("caches" in globalThis ? await caches.open(pictureCache) : undefined);

const fetchPicture = (address: string) => fetch(address, { credentials: "omit", referrerPolicy: "no-referrer" });

/** The addresses of kept pictures in an article, as the service writes them. */
export const picturesIn = (html: string): string[] =>
  // bounded: sanitised HTML, in which each tag ends
  [...html.matchAll(/<img[^>]* src="([^"]+)"/g)]
    .map(([, source = ""]) => source.replaceAll(/&(?:amp|#38);/g, "&"))
    .filter(toPictureKey);

/** The Unix second until which all these addresses hold; infinite without any. */
export const findExpiry = (addresses: readonly string[]): number =>
  Math.min(...addresses.map((address) => Number(URL.parse(address)?.searchParams.get("expires") ?? 0)));

/** Caches pictures, one after the other; unreadable ones are left out. */
export async function cachePictures(addresses: readonly string[]): Promise<void> {
  const cache = await openCache();
  if (!cache) return;
  for (const address of addresses) {
    const key = toPictureKey(address);
    if (!key || (await cache.match(key))) continue;
    const response = await fetchPicture(address).catch(() => undefined);
    if (response?.ok) await cache.put(key, response);
  }
  const kept = await cache.keys();
  for (const request of kept.slice(0, Math.max(0, kept.length - maxCached))) await cache.delete(request);
}

/** A picture from the cache, or from the service; undefined if neither has it. */
export async function readPicture(address: string): Promise<Blob | undefined> {
  const cached = await (await openCache())?.match(toPictureKey(address) ?? "");
  const response = cached ?? (await fetchPicture(address).catch(() => undefined));
  return response?.ok ? response.blob() : undefined;
}
