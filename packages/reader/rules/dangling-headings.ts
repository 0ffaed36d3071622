import { type DomElement, visibleText } from "../document/dom.ts";
import type { ArticleRule } from "./rule.ts";

/**
 * Removes headings at the end of an article that nothing follows, such as "Comments": what they introduced was not taken.
 * More than two are a list of headings, which stays, and so do the headings of a short article.
 */
export const danglingHeadings: ArticleRule = {
  name: "dangling-headings",
  apply(article) {
    if (visibleText(article).length < shortArticle) return;
    const blocks = [...article.querySelectorAll(content)].filter(isShown);
    const dangling = blocks.slice(blocks.findLastIndex((block) => !isShortHeading(block)) + 1);
    if (dangling.length <= mostHeadings) for (const heading of dangling) heading.remove();
  },
};

const content = "h1,h2,h3,h4,h5,h6,p,li,div,pre,blockquote,td,th,dd,dt,img";
/** Characters. */
const shortArticle = 1000;
const longestHeading = 60;
const mostHeadings = 2;

/** An image, or a block with text of its own. */
function isShown(block: DomElement): boolean {
  return block.localName === "img" || (block.querySelector(content) === null && visibleText(block) !== "");
}

function isShortHeading(block: DomElement): boolean {
  return /^h[1-6]$/i.test(block.localName) && visibleText(block).length <= longestHeading;
}
