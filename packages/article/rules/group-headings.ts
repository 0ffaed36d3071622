// SPDX-License-Identifier: MIT

import { type DomElement, type DomNode, headingLevel, isElement, textNode } from "../document/dom.ts";
import type { Rule } from "./rule.ts";

/** Marks a heading that the page itself shows directly above another one. */
export const groupAttribute = "data-group";

/**
 * Marks the titles of groups and the kickers, which have no content of their own, so that "dangling-headings" can
 * distinguish them from headings whose content is not part of the article.
 */
export const groupHeadings: Rule = {
  name: "group-headings",
  apply(body) {
    for (const run of headingsInRuns(body))
      for (const heading of run.slice(0, -1)) heading.setAttribute(groupAttribute, "");
  },
};

/** The headings that follow each other without text or media between them. */
export function headingsInRuns(root: DomElement): DomElement[][] {
  const runs: DomElement[][] = [];
  let isOpen = false;
  const visit = (node: DomNode) => {
    if (isElement(node) && headingLevel(node) > 0) {
      if (isOpen) runs.at(-1)?.push(node);
      else runs.push([node]);
      isOpen = true;
    } else if (isElement(node) && !media.has(node.localName)) {
      for (let child = node.firstChild; child !== null; child = child.nextSibling) visit(child);
    } else if (isElement(node) || (node.nodeType === textNode && /\S/.test(node.textContent))) isOpen = false;
  };
  visit(root);
  return runs;
}

const media = new Set("img,amp-img,picture,table,pre,svg,math,iframe,video,audio,hr".split(","));
