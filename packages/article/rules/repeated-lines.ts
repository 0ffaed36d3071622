import { contains, visibleText } from "../document/dom.ts";
import { linesOf } from "./edge-lines.ts";
import type { ArticleRule } from "./rule.ts";

/**
 * Removes a line of at least 80 characters that repeats the one before it: some pages have their first paragraph or a caption
 * once more as an introduction.
 */
export const repeatedLines: ArticleRule = {
  name: "repeated-lines",
  apply(article) {
    let before = "";
    for (const line of linesOf(article)) {
      const text = visibleText(line);
      // Verse repeats its refrain.
      if (text === before && text.length >= minLength && !contains(line, "br,img")) line.remove();
      before = text;
    }
  },
};

const minLength = 80;
