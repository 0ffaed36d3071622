import { visibleText } from "../dom.ts";
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
      if (figure.querySelector("table,pre,blockquote,code,p + p") === null) figure.remove();
    }
    for (const caption of article.querySelectorAll(captions)) {
      if (visibleText(caption).length <= longestCaption) caption.remove();
    }
  },
};

const captions = "[class*=caption i],[class*=credit i]";
const longestCaption = 600;
