// SPDX-License-Identifier: MIT

import { FairQueue } from "@reading-list/core/fair-queue.ts";
import type { PageFetcher } from "../fetch/fetch-page.ts";

/** An image of a book. */
export interface BookImage {
  /** Its name in the book. */
  file: string;
  type: string;
  content: Uint8Array;
}

/** Requests at once, and those to one host. */
const imagesAtOnce = 8;
const imagesOfHost = 2;
/** Milliseconds for all images of a book; later ones are left out. */
const deadlineMs = 10_000;

/** The formats of images in EPUB 3.3, by their first bytes. Older readers do not show WebP. */
const formats = [
  { type: "image/jpeg", extension: "jpg", start: /^\xff\xd8\xff/ },
  { type: "image/png", extension: "png", start: /^\x89PNG\r\n/ },
  { type: "image/gif", extension: "gif", start: /^GIF8/ },
  { type: "image/webp", extension: "webp", start: /^RIFF.{4}WEBP/s },
];

/**
 * Fetches the images of a book by URL, up to `maxBytes` in all; the first ones win. An image is left out if it cannot be
 * fetched, has more than 2 MB, or is neither JPEG, PNG, GIF nor WebP. Images in `kept` are not fetched.
 */
export async function fetchImages(
  fetcher: Pick<PageFetcher, "fetchImage">,
  urls: readonly string[],
  maxBytes: number,
  kept: ReadonlyMap<string, Uint8Array> = new Map(),
): Promise<Map<string, BookImage>> {
  const fetched = new Map(kept);
  const signal = AbortSignal.timeout(deadlineMs);
  const places = new FairQueue({ atOnce: imagesAtOnce, ofGroup: imagesOfHost });
  let bytes = 0;
  const fetchOne = async (url: string) => {
    if (kept.has(url)) return;
    const leave = await places.enter(URL.parse(url)?.host ?? "", signal);
    try {
      if (bytes > maxBytes) return;
      const content = await fetcher.fetchImage(url, signal);
      fetched.set(url, content);
      bytes += content.length;
    } finally {
      leave();
    }
  };
  await Promise.allSettled(urls.map(fetchOne));
  const images = new Map<string, BookImage>();
  let used = 0;
  for (const url of urls) {
    const content = fetched.get(url);
    const head = Buffer.from(content?.subarray(0, 16) ?? []).toString("latin1");
    const format = formats.find(({ start }) => start.test(head));
    if (!content || !format || used + content.length > maxBytes) continue;
    used += content.length;
    images.set(url, { file: `image-${images.size + 1}.${format.extension}`, type: format.type, content });
  }
  return images;
}
