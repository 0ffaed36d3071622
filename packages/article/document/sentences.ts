// SPDX-License-Identifier: MIT

import { isForScreenReaders } from "../rules/page-parts.ts";
import {
  contains,
  type DomDocument,
  type DomElement,
  elementsWith,
  findBeside,
  findClosest,
  findElements,
  hasText,
  headingNames,
  isAlone,
  isElement,
  listChildren,
  moveChildren,
  textNode,
  toLetters,
} from "./dom.ts";
import { isShort } from "./lines.ts";

/**
 * Brings sentences into the form that a reader sees: a button that is a word of a sentence becomes text, letters that a page
 * has once for eyes and once for screen readers stay once, and inline elements that are shown as blocks become blocks.
 */
export function writeOutSentences(document: DomDocument): void {
  for (const button of findElements(document.body, "button"))
    if (isWordOfSentence(button)) button.replaceWith(...listChildren(button));
  for (const shown of elementsWith(document.body, "aria-hidden")) {
    const copy = [findBeside(shown, "previousSibling"), findBeside(shown, "nextSibling")].find(
      (beside) => isElement(beside) && isForScreenReaders(beside) && isSameText(shown, beside),
    );
    if (!copy || findClosest(shown, "a") !== null) continue;
    shown.removeAttribute("aria-hidden");
    copy.remove();
  }
  for (const span of findElements(document.body, "span")) if (isBlock(span)) separate(span);
  for (const box of elementsWith(document.body, "style"))
    if (
      /^(?:div|p)$/.test(box.localName) &&
      /(?:^|[;\s])display\s*:\s*inline(?:;|\s|$)/i.test(box.getAttribute("style") ?? "")
    )
      box.replaceWith(moveChildren(box, "span"));
}

/** Whether text of its sentence is on both sides of a short button, or of the inline element around it. */
function isWordOfSentence(button: DomElement): boolean {
  if (!isShort(button, maxWordLength) || contains(button, "img")) return false;
  let word = button;
  while (word.parentElement?.localName === "span" && isAlone(word)) word = word.parentElement;
  return [word.previousSibling, word.nextSibling].every(
    (beside) => beside?.nodeType === textNode && /\p{L}/u.test(beside.textContent),
  );
}

/** Characters. */
const maxWordLength = 60;

function isSameText(one: DomElement, other: DomElement): boolean {
  const letters = toLetters(one.textContent);
  return letters !== "" && letters === toLetters(other.textContent);
}

const isBlock = (span: DomElement) =>
  /(?:^|[;\s])display\s*:\s*block/i.test(span.getAttribute("style") ?? "") &&
  hasText(span) &&
  findClosest(span, notBlocks) === null;

const notBlocks = `pre,code,a,button,label,${headingNames}`;

/** Makes a block of a span among blocks, and a line of one in a paragraph. */
function separate(span: DomElement): void {
  const parent = span.parentElement;
  if (parent !== null && boxes.has(parent.localName)) {
    span.replaceWith(moveChildren(span, "div"));
    return;
  }
  const next = findBeside(span, "nextSibling");
  if (next !== null && !isBreak(next)) parent?.insertBefore(span.ownerDocument.createElement("br"), span.nextSibling);
  const before = findBeside(span, "previousSibling");
  if (before !== null && !isBreak(before)) parent?.insertBefore(span.ownerDocument.createElement("br"), span);
}

const isBreak = (node: Parameters<typeof isElement>[0]) => isElement(node) && node.localName === "br";
const boxes = new Set(["div", "section", "article", "main", "blockquote", "body"]);
