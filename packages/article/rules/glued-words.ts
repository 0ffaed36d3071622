// SPDX-License-Identifier: MIT

import { type DomElement, findClosest, findElements, hasText, isElement } from "../document/dom.ts";
import { readClass } from "../document/element-names.ts";
import type { Rule } from "./rule.ts";

/**
 * Puts a space between neighbouring inline elements that the page's style sheet separates, such as a brand and a product:
 * if no space is between them and the second begins with a capital letter or a currency sign, or if both are numbers. Code stays unchanged.
 */
export const gluedWords: Rule = {
  name: "glued-words",
  apply(article) {
    for (const element of findElements(article, inlineNames)) {
      const next = element.nextSibling;
      if (
        !isElement(next) ||
        !inlineNames.has(next.localName.toLowerCase()) ||
        findClosest(element, "pre,code") !== null
      )
        continue;
      const areLinks =
        element.localName.toLowerCase() === "a" &&
        next.localName.toLowerCase() === "a" &&
        element.getAttribute("href") !== next.getAttribute("href");
      const start = areLinks ? /^[\p{L}\p{N}]/u : wordStart;
      const areNumbers = /\d$/.test(element.textContent) && /^\d/.test(next.textContent);
      const isBoundary = wordEnd.test(element.textContent) && start.test(next.textContent);
      if (!areNumbers && !isBoundary && !arePhrases(element.textContent, next.textContent) && !areCells(element, next))
        continue;
      element.parentElement?.insertBefore(element.ownerDocument.createTextNode(" "), next);
    }
  },
};

/** Two texts of several words each, with a number at their boundary, such as "By Ann" and "3 min read". */
function arePhrases(one: string, other: string): boolean {
  if (!/\S\s+\S/.test(one) || !/\S\s+\S/.test(other)) return false;
  return (/\p{L}$/u.test(one) && /^\d/.test(other)) || (/\d$/.test(one) && /^\p{L}/u.test(other));
}

/** Whether two words are named differently, in a box without other text, such as an amount and an ingredient. */
function areCells(one: DomElement, other: DomElement): boolean {
  const box = one.parentElement;
  if (box === null || !cellBoxes.has(box.localName) || readClass(one) === "" || readClass(other) === "") return false;
  if (readClass(one) === readClass(other) || !areWords(one.textContent, other.textContent)) return false;
  return [one.previousSibling, other.nextSibling].every((node) => node === null || isElement(node) || !hasText(node));
}

const areWords = (one: string, other: string) =>
  /[\p{L}\p{N}]$/u.test(one) &&
  /^[\p{L}\p{N}]/u.test(other) &&
  // A letter may be the first one of a word.
  [one, other].every((text) => text.length > 1 || /\d/.test(text));

const cellBoxes = new Set(["div", "p", "li", "td", "dd", "dt", "label"]);
const inlineNames = new Set(["span", "a", "b", "strong", "em", "i", "small", "label", "time"]);
const wordEnd = /[\p{Ll}\p{N})%.]$/u;
const wordStart = /^[\p{Lu}\p{Sc}]/u;
