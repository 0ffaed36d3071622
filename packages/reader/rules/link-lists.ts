import { visibleText } from "../document/dom.ts";
import { linkDensity } from "../document/prose.ts";
import type { ArticleRule } from "./rule.ts";

/**
 * Removes blocks that consist mostly of links, such as lists of related stories. A block with more than 15% of the text
 * stays: on a page that lists things the list is the content.
 */
export const linkLists: ArticleRule = {
  name: "link-lists",
  apply(article) {
    const most = visibleText(article).length * mostText;
    for (const block of article.querySelectorAll("ul,ol,div,section,aside,nav,dl")) {
      if (!article.contains(block) || block.querySelectorAll("a").length < fewestLinks) continue;
      if (visibleText(block).length <= most && linkDensity(block) > mostlyLinks) block.remove();
    }
  },
};

const mostText = 0.15;
const fewestLinks = 3;
const mostlyLinks = 0.75;
