import { visibleText } from "../dom.ts";
import { linkDensity } from "../prose.ts";
import type { ArticleRule } from "./rule.ts";

/**
 * Removes paragraphs that are nothing but a link or begin like a pointer to another story: between the paragraphs of an
 * article these advertise. Where much of the article is made of them they are its content, and stay.
 */
export const linkLines: ArticleRule = {
  name: "link-lines",
  apply(article) {
    const lines = [...article.querySelectorAll("p")].filter(
      (line) => line.querySelector("p,li,img,pre,table") === null && line.closest("table,blockquote") === null,
    );
    const pointers = lines.filter((line) => {
      const length = visibleText(line).length;
      return length > 0 && length <= longestLine && linkDensity(line) > onlyLink;
    });
    const size = pointers.reduce((sum, line) => sum + visibleText(line).length, 0);
    if (size > visibleText(article).length * mostText) return;
    for (const line of pointers) line.remove();
  },
};

const longestLine = 160;
const onlyLink = 0.8;
const mostText = 0.15;
