// SPDX-License-Identifier: MIT

import { isLineOfCode } from "./code-listings.ts";
import {
  besideOf,
  childrenOf,
  closestOf,
  contains,
  type DomDocument,
  type DomElement,
  elementsOf,
  elementsWith,
  isAlone,
  isElement,
  newElement,
  withChildrenOf,
} from "./dom.ts";
import { classOf } from "./element-names.ts";

const codeBlock = /(?:^|\s)code-block(?:\s|$)/;

/**
 * Writes the elements that are lines of code as lines of text: as paragraphs they would be double-spaced, and inline
 * elements that the style sheet shows as lines would be one line. Code of several lines that is not part of a sentence
 * gets a `<pre>`.
 */
export function writeOutCodeLines(document: DomDocument): void {
  // Writerside, with which the documentation of Kotlin is made.
  for (const block of elementsWith(document.body, "data-lang"))
    if (block.localName === "div" && codeBlock.test(classOf(block)) && !contains(block, "pre,table,div"))
      block.replaceWith(newElement(document, "pre", [withChildrenOf(block, "code")]));
  for (const code of elementsOf(document.body, "code")) {
    if (!isAtEdge(code, "previousSibling") || !isAtEdge(code, "nextSibling")) continue;
    if (closestOf(code.parentElement ?? code, "pre,code") !== null || contains(code, "pre")) continue;
    if (!code.textContent.trim().includes("\n")) continue;
    const paragraph = code.parentElement?.localName === "p" && isAlone(code) ? code.parentElement : code;
    const block = document.createElement("pre");
    paragraph.replaceWith(block);
    block.appendChild(code);
  }
  const lines = elementsOf(document.body, "pre").flatMap((pre) => elementsOf(pre, "div,p,ol,ul,li,span"));
  for (const line of new Set(lines)) {
    if (line.localName === "span" && !isLineBeforeLine(line)) continue;
    if (line.nextSibling !== null && !endsWithBreak(line)) line.appendChild(document.createTextNode("\n"));
    if (line.localName !== "span") line.replaceWith(...childrenOf(line));
  }
}

/** Whether no text is beside an element in its line. */
function isAtEdge(element: DomElement, side: Parameters<typeof besideOf>[1]): boolean {
  const beside = besideOf(element, side);
  return beside === null || (isElement(beside) && blockNames.test(beside.localName));
}

const blockNames = /^(?:p|div|pre|ul|ol|dl|h[1-6]|table|section|figure|blockquote|hr)$/;

function isLineBeforeLine(line: DomElement): boolean {
  const next = besideOf(line, "nextSibling");
  return isLineOfCode(line) && isElement(next) && isLineOfCode(next);
}

function endsWithBreak({ textContent, lastChild, nextSibling }: DomElement): boolean {
  const isBreak = isElement(lastChild) && lastChild.localName === "br";
  return isBreak || textContent.endsWith("\n") || nextSibling?.textContent.startsWith("\n") === true;
}
