import { type DomElement, elementsOf, visibleText } from "../document/dom.ts";
import type { ArticleRule } from "./rule.ts";

/**
 * Removes boxes of at least 200 characters whose text an earlier box has, and figures with the image and caption of an
 * earlier one: pages contain them once for wide and once for narrow screens, and scripts copy the slides of a carousel.
 */
export const repeatedBoxes: ArticleRule = {
  name: "repeated-boxes",
  apply(article) {
    const earlier = new Map<string, DomElement>();
    for (const box of elementsOf(article, "div,section,ul,article,figure")) {
      if (!article.contains(box)) continue;
      const text = visibleText(box);
      const image = box.localName === "figure" ? elementsOf(box, "img")[0]?.getAttribute("src") : undefined;
      if (image ? text === "" : text.length < minLength) continue;
      const key = `${image ?? ""} ${text}`;
      const first = earlier.get(key);
      if (first === undefined) earlier.set(key, box);
      else if (!first.contains(box)) box.remove();
    }
  },
};

const minLength = 200;
