// SPDX-License-Identifier: MIT

import { type DomElement, elementsWith, findElements, headingNames, visibleText } from "../document/dom.ts";
import type { Rule } from "./rule.ts";

/**
 * Marks a paragraph that Readability removed. The value is the name of its card, a box that leads to another page, or
 * empty.
 */
export const lostAttribute = "data-lost";

/**
 * Removes paragraphs of cards in an article, which introduce other stories. On other pages, such as those of a shop, cards
 * are the content, unless they are each an `article`.
 */
export const linkedCards: Rule = {
  name: "linked-cards",
  *apply(article, { type }) {
    for (const paragraph of elementsWith(article, lostAttribute)) {
      const card = paragraph.getAttribute(lostAttribute);
      if (card === "article" || (card !== "" && type === "article")) yield paragraph;
    }
  },
};

/** Whether the only heading of a box is a link: the box introduces another page. */
export function isIntroduction(box: DomElement): boolean {
  const [heading, ...others] = findElements(box, headingNames);
  if (heading === undefined || others.length > 0) return false;
  const link = heading.querySelector("a[href]") ?? heading.closest("a[href]");
  return link !== null && visibleText(link).startsWith(visibleText(heading));
}
