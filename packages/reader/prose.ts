import { type DomElement, type DomNode, isElement, textNode, visibleText } from "./dom.ts";

/** Measures of how much of an element is text to read, in characters. */

/** The text outside of links that comes in runs long enough to be part of a sentence. */
export function proseLength(element: DomElement): number {
  let length = 0;
  const pending: DomNode[] = [element];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.nodeType === textNode) {
      const run = node.textContent.trim().length;
      if (run >= shortestRun) length += run;
    } else if (isElement(node) && !withoutProse.has(node.localName.toLowerCase())) {
      for (let child = node.firstChild; child !== null; child = child.nextSibling) pending.push(child);
    }
  }
  return length;
}

/** The part of an element's text that stands in links, from 0 to 1. */
export function linkDensity(element: DomElement): number {
  const length = visibleText(element).length;
  if (length === 0) return 0;
  let linked = 0;
  for (const link of element.querySelectorAll("a")) linked += visibleText(link).length;
  return linked / length;
}

const shortestRun = 25;
const withoutProse = new Set(["a", "script", "style", "noscript", "button", "select", "textarea", "nav"]);
