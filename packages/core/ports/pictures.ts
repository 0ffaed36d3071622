// SPDX-License-Identifier: MIT

import type { Readable } from "node:stream";
import type { ArticlePicture } from "../domain/article-pictures.ts";
import type { ArticleOwner } from "./articles.ts";
import type { Turn } from "./pages.ts";
import type { User } from "./users.ts";

/** A picture as it is stored. */
export interface StoredPicture {
  bytes: number;
  open(): Readable;
}

/**
 * The pictures of kept articles. A picture is stored once for a user, under its hash, whichever articles have it, and
 * is deleted with the last of them. An article that is deleted loses its pictures with it (`ArticleStore.delete`).
 */
export interface PictureStore {
  /** The pictures of an article that were kept, or could not be, in no order. */
  list(owner: ArticleOwner, itemId: string): Promise<ArticlePicture[]>;
  /**
   * Keeps the content of the picture of an article. Returns the bytes that the user's pictures would have above `quota`:
   * if they are not 0, nothing was changed. Undefined, without a change, if the article is not kept. Throws
   * `unauthorized` if the user was deleted.
   */
  keep(
    owner: ArticleOwner,
    itemId: string,
    picture: { url: string; content: Uint8Array },
    quota: number,
  ): Promise<number | undefined>;
  /** Records that the picture of an article could not be saved; a saved picture stays. */
  note(owner: ArticleOwner, itemId: string, picture: ArticlePicture): Promise<void>;
  /** Forgets the pictures that an article has at some addresses. */
  forget(owner: ArticleOwner, itemId: string, urls: readonly string[]): Promise<void>;
  /** Forgets the pictures of items; idempotent. */
  delete(owner: ArticleOwner, itemIds: readonly string[]): Promise<void>;
  /** The bytes that would be free without the pictures of each of some items, at least. */
  sizes(owner: ArticleOwner, itemIds: readonly string[]): Promise<Map<string, number>>;
  /** The bytes of all pictures of a user. */
  bytes(owner: Pick<User, "userId">): Promise<number>;
  /** A picture of a user by its hash. */
  find(userId: string, hash: string): Promise<StoredPicture | undefined>;
}

/** Pictures of pages for e-readers, decoded in a process that owns nothing. */
export interface PictureReader {
  /**
   * A picture as JPEG of at most the size of an e-reader's screen. Throws `notFound` if it cannot be fetched or decoded,
   * `busy` if too many are read at once.
   */
  jpeg(url: string, turn: Turn): Promise<Uint8Array>;
  /** A stored picture as such a JPEG. Throws as `jpeg` does. */
  toJpeg(content: Uint8Array, turn: Turn): Promise<Uint8Array>;
  /** A picture that a file has, as `webp` makes it. */
  toWebp(content: Uint8Array, turn: Turn): Promise<Uint8Array | undefined>;
  /**
   * A picture of a page as WebP of at most 1,600 pixels in width, upright, without metadata; undefined if it is too small,
   * or has a format that is not decoded, so that retrying is pointless. Throws `notFound` if it cannot be fetched, `busy` if
   * too many are read at once.
   */
  webp(url: string, pageUrl: string, turn: Turn): Promise<Uint8Array | undefined>;
}
