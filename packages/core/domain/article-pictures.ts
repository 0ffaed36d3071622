// SPDX-License-Identifier: MIT

import { drawingIn, drawingKey, isDrawingSource } from "./drawing.ts";
import { decodeText } from "./escape.ts";
import type { KeptArticle } from "./kept-article.ts";
import { maxLengths, parseWebUrl } from "./page-fields.ts";

/** A picture of an article, by its address: kept under a hash, or not. Times are unix seconds. */
export interface ArticlePicture {
  url: string;
  /** SHA-256 of the kept picture, in hexadecimal; undefined if none is kept. */
  hash: string | undefined;
  /** Failed readings. */
  tries: number;
  /** The time from which it may be read again; undefined: never, because it is kept or left out for good. */
  retryAt: number | undefined;
}

/** The hashes of the pictures that are kept, by their addresses. */
export const mapHashes = (pictures: Iterable<ArticlePicture>): Map<string, string> =>
  new Map([...pictures].flatMap(({ url, hash }) => (hash === undefined ? [] : [[url, hash]])));

/** Pictures of an article; further ones are left out, as in books. */
export const maxPictures = 100;

/** Seconds to the next reading after each failed one; then it is left out for good. */
const retrySeconds = [3600, 21_600, 129_600];

/** A picture after one more failed reading. */
export function afterFailure(url: string, known: ArticlePicture | undefined, now: number): ArticlePicture {
  const tries = (known?.tries ?? 0) + 1;
  const pause = retrySeconds[tries - 1];
  return { url, hash: undefined, tries, retryAt: pause === undefined ? undefined : now + pause };
}

/** A picture that is left out for good, because it is too small or cannot be decoded. */
export const leftOut = (url: string): ArticlePicture => ({ url, hash: undefined, tries: 1, retryAt: undefined });

/** Whether a picture is to be read now. */
export const isDue = (known: ArticlePicture | undefined, now: number): boolean =>
  known === undefined || (known.hash === undefined && known.retryAt !== undefined && known.retryAt <= now);

/** The addresses of pictures that their sites do not serve; a picture that is left out for good was read once. */
export const findFailed = (pictures: Iterable<ArticlePicture>): Set<string> =>
  new Set(
    [...pictures].flatMap(({ url, hash, tries, retryAt }) =>
      hash === undefined && (tries > 1 || retryAt !== undefined) ? [url] : [],
    ),
  );

/** The sanitiser has written each image of a view as one tag without `>` in its attributes. */
// bounded: sanitised HTML, in which each tag ends
const imageTags = /<img [^>]*>/g;

/** The address of a picture; undefined if it is not an http(s) URL, or longer than a page's URL may be. A drawing has a short one. */
function toPictureUrl(source: string): string | undefined {
  if (isDrawingSource(source)) return drawingKey(drawingIn(source));
  const url = parseWebUrl(source)?.href;
  return url === undefined || url.length > maxLengths.url ? undefined : url;
}

/** The address of the image of a tag. */
const pictureInTag = (tag: string) => toPictureUrl(decodeText(/ src="([^"]*)"/.exec(tag)?.[1] ?? ""));

// bounded: sanitised HTML, in which each tag ends
const imagesAndLinks = /<img [^>]*>|<a[ >]|<\/a>/g;

/** Replaces each image of a view by the result of `replace`, which gets its address, its tag, and whether it is in a link. */
export function replaceImages(html: string, replace: (url: string, tag: string, isLinked: boolean) => string): string {
  let isLinked = false;
  return html.replaceAll(imagesAndLinks, (tag) => {
    if (!tag.startsWith("<img")) {
      isLinked = tag !== "</a>";
      return tag;
    }
    const url = pictureInTag(tag);
    return url === undefined ? "" : replace(url, tag, isLinked);
  });
}

// bounded: sanitised HTML, in which each tag ends
const drawings = /(?<=<img src=")data:[^"]*/g;

/** The drawings of an article as SVG, by the addresses of their pictures. */
export function findDrawings({ less, more }: Pick<KeptArticle, "less" | "more">): Map<string, Uint8Array> {
  const sources = [less, more].flatMap((html) => html.match(drawings) ?? []).filter(isDrawingSource);
  return new Map([...new Set(sources)].map(drawingIn).map((svg) => [drawingKey(svg), svg]));
}

/** The addresses of the pictures of an article, each once: the preview picture, and the pictures of both views. */
export function listPictures({ imageUrl, less, more }: Pick<KeptArticle, "imageUrl" | "less" | "more">): string[] {
  const preview = toPictureUrl(imageUrl ?? "");
  const urls = new Set(preview === undefined ? [] : [preview]);
  for (const html of [less, more]) {
    for (const [tag] of html.matchAll(imageTags)) {
      const url = pictureInTag(tag);
      if (url !== undefined) urls.add(url);
      if (urls.size === maxPictures) return [...urls];
    }
  }
  return [...urls];
}
