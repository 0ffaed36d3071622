import { type DomElement, type DomNode, isElement, textNode, visibleText } from "./dom.ts";

/** Characters of text outside links, in text nodes of at least 25 characters, which are likely parts of sentences. */
export function proseLength(element: DomElement): number {
  let length = 0;
  const pending: DomNode[] = [element];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.nodeType === textNode) {
      const run = node.textContent.trim().length;
      if (run >= minRunLength) length += run;
    } else if (isElement(node) && !withoutProse.has(node.localName.toLowerCase()) && !isPlainLink(node)) {
      for (let child = node.firstChild; child !== null; child = child.nextSibling) pending.push(child);
    }
  }
  return length;
}

/** The share of an element's text that is inside links, from 0 to 1. */
export function linkDensity(element: DomElement): number {
  const length = visibleText(element).length;
  if (length === 0) return 0;
  let linked = 0;
  for (const link of element.querySelectorAll("a")) linked += visibleText(link).length;
  return linked / length;
}

/** Whether an element is a few sentences with few links, and without fields and buttons. */
export function isProse(element: DomElement): boolean {
  const text = visibleText(element);
  if (text.length < minProse || !sentenceEnd.test(text) || element.querySelector(controls) !== null) return false;
  return linkDensity(element) < fewLinks;
}

/** Characters. */
const minProse = 50;
const sentenceEnd = /[.!?。！？…”"]$/;
const controls = "button,input,form";
const fewLinks = 0.3;

/** A link, unless it is a card: a link around a heading and paragraphs, as catalogues have. */
function isPlainLink(element: DomElement): boolean {
  return element.localName.toLowerCase() === "a" && element.querySelector("p") === null;
}

const minRunLength = 25;
const withoutProse = new Set(["script", "style", "noscript", "button", "select", "textarea", "nav"]);
