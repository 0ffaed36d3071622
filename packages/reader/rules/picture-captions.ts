import { visibleText } from "../document/dom.ts";
import { nameWordsOf } from "../document/element-names.ts";
import type { ArticleRule } from "./rule.ts";

/**
 * Removes the captions and credits of images if the view shows no images. Captions of tables, code and quotations stay.
 */
export const pictureCaptions: ArticleRule = {
  name: "picture-captions",
  apply(article, { images }) {
    if (images) return;
    for (const figure of article.querySelectorAll("figure")) {
      const isText = figure.querySelector("p + p") !== null && visibleText(figure).length > longestCaption;
      if (!isText && figure.querySelector("table,pre,blockquote,code,ul,ol,dl") === null) figure.remove();
    }
    for (const line of article.querySelectorAll("p,div,span,small,em")) {
      if (creditLine.test(visibleText(line)) && line.querySelector("a") === null && line.closest("pre,table") === null)
        line.remove();
    }
    for (const element of article.querySelectorAll("[class],[id]")) {
      if (element.closest("table") !== null || visibleText(element).length > longestCaption) continue;
      if (isCaption(nameWordsOf(element))) element.remove();
    }
  },
};

const longestCaption = 600;

/** "Photo: Jane Doe", "(Image: © Jane Doe)". */
const creditLine =
  /^\W*(?:image|photo|picture|photograph|foto|credit)s?(?: credits?| courtesy)?(?: by| of)?\s?[:©].{1,120}$/i;

const pictureWords = ["photo", "image", "img", "picture", "media", "figure"];

/** "credit" alone may be about a bank. */
function isCaption(words: readonly string[]): boolean {
  if (words.some((word) => word.includes("caption"))) return true;
  return words.some((word) => word.startsWith("credit")) && words.some((word) => pictureWords.includes(word));
}
