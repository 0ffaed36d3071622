// SPDX-License-Identifier: MIT

import { contains, type DomElement, type DomNode, findElements, isElement, textNode, visibleText } from "./dom.ts";

/**
 * Characters of text outside links and `ignored` elements, in text nodes for which `counts` returns true: by default
 * nodes of at least 25 characters, which are probably parts of sentences.
 */
export function proseLength(
  element: DomElement,
  { ignored = (_: DomElement): boolean => false, counts = isLong } = {},
): number {
  let length = 0;
  const pending: DomNode[] = [element];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.nodeType === textNode) {
      const run = node.textContent.trim();
      if (counts(run)) length += run.length;
    } else if (isElement(node) && !withoutProse.has(node.localName.toLowerCase()) && !isPlainLink(node)) {
      if (node !== element && ignored(node)) continue;
      for (let child = node.firstChild; child !== null; child = child.nextSibling) pending.push(child);
    }
  }
  return length;
}

/** The share of an element's text that is inside links, from 0 to 1. */
export function linkDensity(element: DomElement): number {
  const linked = findElements(element, "a").reduce((sum, link) => sum + visibleText(link).length, 0);
  return linked === 0 ? 0 : linked / visibleText(element).length;
}

/** Whether an element is a few sentences with few links, and without fields and buttons. */
export function isProse(element: DomElement): boolean {
  const text = visibleText(element);
  if (text.length < minProse || !sentenceEnd.test(text) || contains(element, "button,input,form")) return false;
  return linkDensity(element) < fewLinks;
}

/** Characters. */
const minProse = 50;
const sentenceEnd = /[.!?。！？…”"]$/;
const fewLinks = 0.3;

/** A link, unless it is a card: a link around a heading and paragraphs, as catalogues have. */
function isPlainLink(element: DomElement): boolean {
  return element.localName.toLowerCase() === "a" && !contains(element, paragraphs);
}

const paragraphs = new Set(["p"]);
const isLong = (run: string) => run.length >= 25;
const withoutProse = new Set(["script", "style", "noscript", "button", "select", "textarea", "nav"]);
