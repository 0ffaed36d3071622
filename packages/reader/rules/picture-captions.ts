import { visibleText } from "../dom.ts";
import { nameWordsOf } from "../element-names.ts";
import type { ArticleRule } from "./rule.ts";

/**
 * Where the view shows no images, what is said below an image has nothing to refer to and goes with it. Captions of
 * tables, code and quotations stay.
 */
export const pictureCaptions: ArticleRule = {
  name: "picture-captions",
  apply(article, { images }) {
    if (images) return;
    for (const figure of article.querySelectorAll("figure")) {
      if (figure.querySelector("table,pre,blockquote,code,ul,ol,dl,p + p") === null) figure.remove();
    }
    for (const element of article.querySelectorAll("[class],[id]")) {
      if (element.closest("table") !== null || visibleText(element).length > longestCaption) continue;
      if (isCaption(nameWordsOf(element))) element.remove();
    }
  },
};

const longestCaption = 600;

const pictureWords = ["photo", "image", "img", "picture", "media", "figure"];

/** A credit alone may be one of a bank. */
function isCaption(words: readonly string[]): boolean {
  if (words.some((word) => word.includes("caption"))) return true;
  return words.some((word) => word.startsWith("credit")) && words.some((word) => pictureWords.includes(word));
}
