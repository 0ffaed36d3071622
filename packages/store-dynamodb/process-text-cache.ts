// SPDX-License-Identifier: MIT

import type { CachedText, TextCache } from "@reading-list/core/ports/pages.ts";
import { LRUCache } from "lru-cache";

/** Characters of all texts. */
const maxLength = 20_000_000;

/** A cache of texts in the memory of this process, for a page that many users save, or whose reader gave up waiting. */
export function createProcessTextCache(): TextCache {
  const texts = new LRUCache<string, CachedText>({
    maxSize: maxLength,
    sizeCalculation: ({ view }) => view.html.length + 1000,
  });
  return {
    find: async (key) => texts.get(key),
    keep: async (key, text) => void texts.set(key, text),
  };
}
