// SPDX-License-Identifier: MIT

import {
  type DomElement,
  type DomNode,
  findClosest,
  findElements,
  headingLevel,
  isElement,
  visibleText,
} from "../document/dom.ts";
import { linesAfter, textLines } from "../document/lines.ts";
import { linkDensity } from "../document/prose.ts";
import { groupAttribute, headingsInRuns } from "./group-headings.ts";
import { contentsLabel } from "./labels.ts";
import type { Rule } from "./rule.ts";

/**
 * Removes headings at the end of an article without text below them, such as "Comments", because the text that they
 * introduced is not part of the article. More than four are a list of headings, which stays, and so do the headings of
 * a short article. Also removes headings directly above a heading of the same or a higher level, unless the page has
 * them so or they are three or more, and the label of a table of contents that was removed.
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
    for (const run of headingsInRuns(article)) {
      const levels = run.map(headingLevel);
      for (const [index, heading] of run.entries()) {
        const [level = 0, next = 0] = [levels[index], levels[index + 1]];
        const isList = next === level && (levels[index - 1] === level || levels[index + 2] === level);
        const isTitle = visibleText(heading).length <= maxHeadingLength && !heading.hasAttribute(groupAttribute);
        if (next > 0 && next <= level && !isList && isTitle) yield heading;
      }
    }
    for (const panel of findElements(article, "details")) if (contentsLabel.test(visibleText(panel))) yield panel;
    for (const line of textLines(article)) {
      const [next] = contentsLabel.test(visibleText(line)) ? linesAfter(line, 1) : [];
      if (next !== undefined && findClosest(next, "li,a") === null && linkDensity(next) < 1) yield line;
    }
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
