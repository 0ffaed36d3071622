// SPDX-License-Identifier: MIT

import { type DomElement, type DomNode, isElement, visibleText } from "../document/dom.ts";
import type { Rule } from "./rule.ts";

/**
 * Removes headings at the end of an article that nothing follows, such as "Comments": what they introduced was not taken.
 * More than four are a list of headings, which stays, and so do the headings of a short article.
 */
export const danglingHeadings: Rule = {
  name: "dangling-headings",
  *apply(article) {
    if (visibleText(article).length < shortArticle) return;
    const dangling: DomElement[] = [];
    for (let last = lastShown(article, dangling); last !== undefined; last = lastShown(article, dangling)) {
      const heading = last.parentElement?.closest("h1,h2,h3,h4,h5,h6");
      if (!heading || !article.contains(heading) || visibleText(heading).length > maxHeadingLength) break;
      dangling.push(heading);
    }
    if (dangling.length <= maxHeadings) yield* dangling;
  },
};

/** Characters. */
const shortArticle = 300;
const maxHeadingLength = 60;
const maxHeadings = 4;

/** The last image or text below a node and before the headings that were found. */
function lastShown(node: DomNode, headings: readonly DomElement[]): DomNode | undefined {
  if (isElement(node) && node.localName === "img") return node;
  if (isElement(node) && headings.includes(node)) return undefined;
  if (node.firstChild === null) return visibleText(node) === "" ? undefined : node;
  for (let child = node.lastChild; child !== null; child = child.previousSibling) {
    const shown = lastShown(child, headings);
    if (shown !== undefined) return shown;
  }
  return undefined;
}
