// SPDX-License-Identifier: MIT

import type { Chapter } from "@reading-list/core/ports/pages.ts";
import { parseFragment } from "parse5";
import { attributesByName, descendants } from "./xml.ts";

/** Images of a book; further ones are left out. */
const maxImages = 100;

/** The URLs of the images of a book, in order, each once. */
export function findImageUrls(chapters: readonly Pick<Chapter, "html">[]): string[] {
  const urls = new Set<string>();
  for (const { html } of chapters) {
    for (const element of descendants(parseFragment(html))) {
      const src = element.tagName === "img" ? attributesByName(element).src : undefined;
      if (src) urls.add(src);
      if (urls.size === maxImages) return [...urls];
    }
  }
  return [...urls];
}
