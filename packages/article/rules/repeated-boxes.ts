import { type DomElement, visibleText } from "../document/dom.ts";
import type { ArticleRule } from "./rule.ts";

/**
 * Removes boxes of at least 200 characters whose text an earlier box has: pages contain a text once for wide and once for
 * narrow screens, and scripts copy the slides of a carousel.
 */
export const repeatedBoxes: ArticleRule = {
  name: "repeated-boxes",
  apply(article) {
    const earlier = new Map<string, DomElement>();
    for (const box of article.querySelectorAll("div,section,ul,article")) {
      if (!article.contains(box)) continue;
      const text = visibleText(box);
      if (text.length < minLength) continue;
      const first = earlier.get(text);
      if (first === undefined) earlier.set(text, box);
      else if (!first.contains(box)) box.remove();
    }
  },
};

const minLength = 200;
