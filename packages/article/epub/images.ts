import { parseFragment } from "parse5";
import type { PageFetcher } from "../fetch/fetch-page.ts";
import { attributesOf, descendants } from "./chapter-markup.ts";

/** An image of a book. */
export interface BookImage {
  /** Its name in the book. */
  file: string;
  type: string;
  content: Uint8Array;
}

const imagesAtOnce = 6;
/** Milliseconds for all images of a book; those that come later are left out. */
const deadlineMs = 10_000;

/** The formats of images in EPUB 3.3, by their first bytes. Older readers do not show WebP. */
const formats = [
  { type: "image/jpeg", extension: "jpg", start: /^\xff\xd8\xff/ },
  { type: "image/png", extension: "png", start: /^\x89PNG\r\n/ },
  { type: "image/gif", extension: "gif", start: /^GIF8/ },
  { type: "image/webp", extension: "webp", start: /^RIFF.{4}WEBP/s },
];

/** The URLs of the images of a fragment, in order. */
const imageUrls = (html: string) =>
  [...descendants(parseFragment(html))].flatMap((element) =>
    element.tagName === "img" ? (attributesOf(element).src ?? []) : [],
  );

/**
 * Fetches the images of a book by URL, up to `maxBytes` in all; the first ones win. An image is left out if it cannot be
 * fetched, has more than 2 MB, or is neither JPEG, PNG, GIF nor WebP.
 */
export async function fetchImages(
  fetcher: PageFetcher,
  fragments: readonly string[],
  maxBytes: number,
): Promise<Map<string, BookImage>> {
  const urls = [...new Set(fragments.flatMap(imageUrls))];
  const fetched = new Map<string, Uint8Array>();
  const signal = AbortSignal.timeout(deadlineMs);
  const waiting = [...urls];
  let bytes = 0;
  const work = async () => {
    for (let url = waiting.shift(); url !== undefined && bytes <= maxBytes && !signal.aborted; url = waiting.shift()) {
      const content = await fetcher.fetchImage(url, signal).catch(() => undefined);
      if (content === undefined) continue;
      fetched.set(url, content);
      bytes += content.length;
    }
  };
  await Promise.all(Array.from({ length: imagesAtOnce }, work));
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
