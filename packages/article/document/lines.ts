// SPDX-License-Identifier: MIT

import {
  contains,
  type DomElement,
  type DomNode,
  findClosest,
  findElements,
  hasText,
  headingNames,
  isElement,
  textNode,
  visibleText,
} from "./dom.ts";
import { readClass } from "./element-names.ts";
import { isProse, linkDensity, proseLength } from "./prose.ts";

export const blocks = "p,li,div,time,address,h1,h2,h3,h4,h5,h6,pre,blockquote,table,dd,dt,figure,figcaption,ul,ol";

/** The innermost blocks with text, in order. */
export function textLines(article: DomElement): DomElement[] {
  const names = new Set(blocks.split(","));
  return findElements(article, names).filter((element) => !contains(element, names) && hasText(element));
}

/** The first lines after an element, in order. */
export function linesAfter(element: DomElement, max: number): DomElement[] {
  const names = new Set(blocks.split(","));
  const lines: DomElement[] = [];
  let node: DomNode = element;
  while (lines.length < max) {
    const isDone: boolean = node === element || node === lines.at(-1);
    let next: DomNode | null = isDone ? null : node.firstChild;
    for (let up: DomNode | null = node; next === null && up !== null; up = up.parentElement) next = up.nextSibling;
    if (next === null) break;
    node = next;
    if (isElement(node) && names.has(node.localName) && !contains(node, names) && hasText(node)) lines.push(node);
  }
  return lines;
}

/** Whether a node has at most so many characters of text, found without collecting the text of a large one. */
export function isShort(node: DomNode, max: number, left = { characters: max }): boolean {
  if (node.nodeType === textNode) left.characters -= node.textContent.trim().length;
  for (let child = node.firstChild; child !== null && left.characters >= 0; child = child.nextSibling)
    isShort(child, max, left);
  return left.characters >= 0;
}

/** Whether a line is long or a sentence. Others may be a name, a date or a label. */
export function isSentence(line: DomElement): boolean {
  const text = visibleText(line);
  return text.length > maxLabelLength || (sentenceEnd.test(text) && linkDensity(line) < 0.5);
}

const maxLabelLength = 50;
const sentenceEnd = /[.!?…。！？:;"”’»)\]]\s*$/;

/** Whether an element is part of a line, such as a link or an icon in a sentence. It stays, whatever its name. */
export function isInSentence(element: DomElement): boolean {
  return inlineElements.has(element.localName.toLowerCase()) && findClosest(element, sentenceElements) !== null;
}

const sentenceElements = `p,li,dd,td,${headingNames}`;
const inlineElements = new Set(["a", "abbr", "b", "cite", "code", "em", "i", "mark", "q", "small", "span", "strong"]);

/**
 * Whether a box has sentences without links and is between two paragraphs, as an author puts a note there. Its name must not
 * be one of an advertisement, a repeated quotation or a box about other pages.
 */
export function isAmongParagraphs(box: DomElement): boolean {
  if (!isBetweenParagraphs(box) || !isShort(box, maxNoteLength)) return false;
  if (contains(box, "form,input,button,img,iframe,blockquote") || otherName.test(`${readClass(box)} ${box.id}`))
    return false;
  return linkDensity(box) < fewLinks && proseLength(box) >= minNoteProse;
}

/** Whether paragraphs of prose are directly before and after a box. */
export const isBetweenParagraphs = (box: DomElement): boolean =>
  [box.previousElementSibling, box.nextElementSibling].every((one) => one?.localName === "p" && isProse(one));

const otherName =
  /related|promo|newsletter|subscri|sign-?up|author|bio|share|social|pull|quote|recirc|read|more|sponsor|\bads?\b|advert|donat|support|recommend|popular|trending|cta|card|teaser|side-?bar|tags|meta/i;
/** Characters. */
const maxNoteLength = 2000;
const minNoteProse = 25;
const fewLinks = 0.2;
