// SPDX-License-Identifier: MIT

import type { TextRequest, TextView } from "../domain/text-view.ts";

/** A cached text view. */
export interface CachedText {
  view: TextView;
  /** Unix seconds from which its page must be read again. */
  freshUntil: number;
}

/** Texts by an opaque key. If the cache fails or has lost an entry, the page is read again. */
export interface TextCache {
  find(key: string): Promise<CachedText | undefined>;
  keep(key: string, text: CachedText): Promise<void>;
}

/** A text view, and whether it came from the cache. */
export interface TextAnswer extends TextView {
  isCached: boolean;
}

/** An article of a book. */
export interface Chapter extends Pick<TextView, "title" | "html" | "author" | "publishedAt"> {
  url: string;
  keptAt: number | undefined;
  /** HTML of the notes of its highlights, which follows it. */
  notes?: string | undefined;
}

/** The caller for whom the service reads a page. Addresses and users take turns, so no address holds all workers. */
export interface Turn {
  address: string;
  user?: string | undefined;
}

export interface PageReader {
  /** Throws a ServiceError of kind `invalid` if the page cannot be fetched; its message names `url`, and no endpoint. */
  read(request: TextRequest, turn?: Turn): Promise<TextAnswer>;
  /**
   * The views of both modes, with images, of one reading of a page, which may come from the cache unless `isReload`; or
   * the views of `html`, the page as the user sees it, which is never cached.
   */
  readArticle(
    url: string,
    source: { isReload?: boolean; html?: string },
    turn?: Turn,
  ): Promise<Record<"less" | "more", TextView>>;
  /**
   * An EPUB of articles, with their images of up to 2 MB each, and `maxImageBytes` or 20 MB in all; an image that
   * cannot be fetched is left out. `kept`: saved images, which are not fetched, by address. `isVerbatim`: a book of one
   * article, which has its elements as they are in `<main>` of the only document of its spine, so that positions in the
   * book equal positions in the HTML.
   */
  book(
    chapters: readonly Chapter[],
    options?: {
      maxImageBytes?: number;
      turn?: Turn;
      isVerbatim?: boolean;
      kept?: ReadonlyMap<string, Uint8Array> | undefined;
    },
  ): Promise<Uint8Array>;
}
