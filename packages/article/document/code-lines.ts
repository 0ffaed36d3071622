// SPDX-License-Identifier: MIT

import {
  childrenOf,
  contains,
  type DomDocument,
  type DomElement,
  elementsOf,
  isElement,
  newElement,
  withChildrenOf,
} from "./dom.ts";

/**
 * Writes the elements that are lines of code as lines of text: as paragraphs they would be double-spaced, and inline
 * elements that the style sheet shows as lines would be one line.
 */
export function writeOutCodeLines(document: DomDocument): void {
  // Writerside, with which the documentation of Kotlin is made.
  for (const block of document.body.querySelectorAll("div.code-block[data-lang]"))
    if (!contains(block, "pre,table,div"))
      block.replaceWith(newElement(document, "pre", [withChildrenOf(block, "code")]));
  const lines = elementsOf(document.body, "pre").flatMap((pre) => elementsOf(pre, "div,p,ol,ul,li,span"));
  for (const line of new Set(lines)) {
    if (line.localName === "span" && !isLineBeforeLine(line)) continue;
    if (line.nextSibling !== null && !endsWithBreak(line)) line.appendChild(document.createTextNode("\n"));
    if (line.localName !== "span") line.replaceWith(...childrenOf(line));
  }
}

function isLineBeforeLine({ className, nextSibling: next }: DomElement): boolean {
  return lineName.test(className) && isElement(next) && lineName.test(next.className);
}

const lineName = /(?:^|[\s_-])line(?:$|\s)/;

function endsWithBreak({ textContent, lastChild, nextSibling }: DomElement): boolean {
  const isBreak = isElement(lastChild) && lastChild.localName === "br";
  return isBreak || textContent.endsWith("\n") || nextSibling?.textContent.startsWith("\n") === true;
}
