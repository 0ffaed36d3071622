// SPDX-License-Identifier: MIT

import { contains, type DomElement, elementsOf, visibleText } from "../document/dom.ts";
import { linesOf } from "../document/lines.ts";
import type { Rule } from "./rule.ts";

/**
 * Removes boxes of at least 200 characters whose text an earlier box has, and figures with the image and caption of an
 * earlier one: pages contain them once for wide and once for narrow screens, and scripts copy the slides of a carousel. Removes
 * also a line of at least 80 characters that repeats the one before it, such as a caption that is an introduction, too.
 */
export const repeatedText: Rule = {
  name: "repeated-text",
  // The text is still in the article once.
  isCertain: () => true,
  *apply(article) {
    const earlier = new Map<string, DomElement>();
    for (const box of elementsOf(article, "div,section,ul,article,figure")) {
      if (!article.contains(box)) continue;
      const text = visibleText(box);
      const image = box.localName === "figure" ? elementsOf(box, "img")[0]?.getAttribute("src") : undefined;
      if (image ? text === "" : text.length < minBoxLength) continue;
      const key = `${image ?? ""} ${text}`;
      const first = earlier.get(key);
      if (first === undefined) earlier.set(key, box);
      else if (!first.contains(box)) yield box;
    }
    let before = "";
    for (const line of linesOf(article)) {
      const text = visibleText(line);
      // Verse repeats its refrain.
      const isLong = text.length >= minLineLength || line.localName === "figcaption";
      if (text === before && isLong && !contains(line, "br,img")) yield line;
      before = text;
    }
  },
};

const minBoxLength = 200;
const minLineLength = 80;
