// SPDX-License-Identifier: MIT

import { isLineOfCode } from "./code-listings.ts";
import {
  contains,
  type DomDocument,
  type DomElement,
  type DomNode,
  elementsWith,
  findBeside,
  findClosest,
  findElements,
  isAlone,
  isElement,
  listChildren,
  moveChildren,
  newElement,
  textNode,
} from "./dom.ts";
import { readClass } from "./element-names.ts";

const codeBlock = /(?:^|\s)code-block(?:\s|$)/;

/**
 * Writes the elements that are lines of code as lines of text: as paragraphs they would be double-spaced, and inline
 * elements that the style sheet shows as lines would be one line. Code of several lines that is not part of a sentence
 * gets a `<pre>`.
 */
export function writeOutCodeLines(document: DomDocument): void {
  // Writerside, with which the documentation of Kotlin is made.
  for (const block of elementsWith(document.body, "data-lang"))
    if (block.localName === "div" && codeBlock.test(readClass(block)) && !contains(block, "pre,table,div"))
      block.replaceWith(newElement(document, "pre", [moveChildren(block, "code")]));
  for (const code of findElements(document.body, "code")) {
    if (!isAtEdge(code, "previousSibling") || !isAtEdge(code, "nextSibling")) continue;
    if (findClosest(code.parentElement ?? code, "pre,code") !== null || contains(code, "pre")) continue;
    if (!code.textContent.trim().includes("\n") && findElements(code, "div,p,li").length < 2) continue;
    const paragraph = code.parentElement?.localName === "p" && isAlone(code) ? code.parentElement : code;
    const block = document.createElement("pre");
    paragraph.replaceWith(block);
    block.appendChild(code);
  }
  const listings = findElements(document.body, "pre");
  for (const listing of listings) if (listing.textContent.includes("\u00a0")) writeSpaces(listing);
  const lines = listings.flatMap((pre) => findElements(pre, "div,p,ol,ul,li,span"));
  for (const line of new Set(lines)) {
    if (line.localName === "span" && !isLineBeforeLine(line)) continue;
    if (line.nextSibling !== null && !endsWithBreak(line)) line.appendChild(document.createTextNode("\n"));
    if (line.localName !== "span") line.replaceWith(...listChildren(line));
  }
}

/** Replaces the non-breaking spaces of code, which no compiler reads. */
function writeSpaces(node: DomNode): void {
  if (node.nodeType === textNode) node.textContent = node.textContent.replaceAll("\u00a0", " ");
  for (let child = node.firstChild; child !== null; child = child.nextSibling) writeSpaces(child);
}

/** Whether no text is beside an element in its line. */
function isAtEdge(element: DomElement, side: Parameters<typeof findBeside>[1]): boolean {
  const beside = findBeside(element, side);
  return beside === null || (isElement(beside) && blockNames.test(beside.localName));
}

const blockNames = /^(?:p|div|pre|ul|ol|dl|h[1-6]|table|section|figure|blockquote|hr)$/;

function isLineBeforeLine(line: DomElement): boolean {
  const next = findBeside(line, "nextSibling");
  return isLineOfCode(line) && isElement(next) && isLineOfCode(next);
}

function endsWithBreak({ textContent, lastChild, nextSibling }: DomElement): boolean {
  const isBreak = isElement(lastChild) && lastChild.localName === "br";
  return isBreak || textContent.endsWith("\n") || nextSibling?.textContent.startsWith("\n") === true;
}
