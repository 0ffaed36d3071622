// SPDX-License-Identifier: MIT

import type { TextView } from "@reading-list/client/main.ts";
import type { DBSchema } from "idb";

/** Facts of a text that the list shows. */
export interface TextFacts {
  /** Minutes that reading it takes. */
  minutes: number;
  /** Its beginning. */
  excerpt: string;
  /** Absent in texts that an older version has cached. */
  imageUrl: string | undefined;
  author: string | undefined;
}

/** A page's text in the cache, with the page's images, which the article view may leave out. */
export interface CachedText extends TextView, Omit<TextFacts, "excerpt"> {
  url: string;
  /** When it was read, by this device's clock; absent if an older version has stored it. */
  readAt?: Date;
  /**
   * The Unix second until which the addresses of its pictures hold; absent if an older version stored the addresses of
   * the sites.
   */
  picturesUntil?: number;
}

/** Facts of a cached text in memory. Each sync needs those of all texts. */
export interface CachedFacts extends TextFacts {
  /** Characters of the text. */
  size: number;
  readAt: Date | undefined;
  picturesUntil: number | undefined;
}

export interface TextsSchema extends DBSchema {
  texts: { key: string; value: CachedText };
  /** When a page without a text may be tried again. */
  failures: { key: string; value: Date };
}
