// SPDX-License-Identifier: MIT

import { type DomElement, findElements, headingLevel, headingNames, toLetters, visibleText } from "../document/dom.ts";
import { readClass } from "../document/element-names.ts";
import { textLines } from "../document/lines.ts";
import { linkDensity } from "../document/prose.ts";
import { otherHeadings } from "./labels.ts";
import type { Rule } from "./rule.ts";

/**
 * Removes sections whose heading says that they are not about this page: other stories, similar products, comments,
 * newsletters. A section of more than 700 letters stays unless at least 30% of it is links. A section with more than half of
 * the article's letters always stays, unless its name says that it has the comments, too, and there is an article besides.
 */
export const otherSections: Rule = {
  name: "other-sections",
  isCertain: (element) => isNamedComments(element) || hasOffers([element]),
  *apply(article, { type }) {
    const letters = toLetters(article.textContent).length;
    const max = letters * maxShareOfAll;
    const about = findElements(article, headingNames).filter((heading) => isAboutOthers(visibleText(heading)));
    for (const heading of about.slice(0, maxSections)) {
      if (!article.contains(heading)) continue;
      const section = takeSection(heading, article);
      const size = sum(section, (part) => toLetters(part.textContent).length);
      const linked = sum(section, (part) => toLetters(part.textContent).length * linkDensity(part));
      const [first] = section;
      const areComments = type !== "thread" && section.length === 1 && first !== undefined && isNamedComments(first);
      if (areComments && letters - size >= minRest) yield first;
      const areOffers = offersLabel.test(visibleText(heading)) && letters - size >= minRest && hasOffers(section);
      if (!areOffers && (size > max || (size > shortSection && linked < size * mostlyLinks))) continue;
      yield* section;
    }
  },
};

/** A shop's other products, which may be longer than the page. */
const offersLabel =
  /^(?:(?:similar|related|sponsored|recommended) (?:sponsored )?(?:items|products)|you may also like|(?:people|customers) (?:who viewed this item )?also (?:viewed|bought|liked))\b/i;

/** Whether a section has several links with pictures, and lines that begin with a price. */
function hasOffers(section: readonly DomElement[]): boolean {
  const prices = section.flatMap((part) => textLines(part)).filter((line) => price.test(line.textContent));
  return prices.length >= minOffers && section.some((part) => findElements(part, "a").length >= minOffers);
}

const price = /^\W{0,3}(?:[A-Z]{2,3}\s?)?\p{Sc}\s?\d/u;
const minOffers = 4;

/** Whether class or id says that an element has the comments on a page. */
function isNamedComments(element: DomElement): boolean {
  return commentsName.test(`${readClass(element)} #${element.id}`);
}

const commentsName = /(?:^|[ #])comments?(?:$|[ _-](?:area|section|list|wrap|wrapper|container|thread|block))/i;
/** Letters of an article below which its comments may be the content of the page. */
const minRest = 300;
const maxShareOfAll = 0.5;
/** Bounds the work on a hostile page: the cost of a section grows with the article. */
const maxSections = 50;
const shortSection = 700;
const mostlyLinks = 0.3;
const maxHeadingLength = 60;

/** Whether a heading says that its section is not about the page. */
export function isAboutOthers(heading: string): boolean {
  return heading.length <= maxHeadingLength && otherHeadings.some((label) => label.test(heading));
}

/**
 * The largest box that starts with the heading; otherwise the heading and the content up to the next heading of its
 * level.
 */
function takeSection(heading: DomElement, article: DomElement): DomElement[] {
  const text = toLetters(heading.textContent);
  let top = heading;
  for (let box = heading.parentElement; box !== null && box !== article; box = box.parentElement) {
    const isSection =
      toLetters(box.textContent).startsWith(text) && box.querySelectorAll(`h1,${heading.localName}`).length === 1;
    if (!isSection) break;
    top = box;
  }
  if (toLetters(top.textContent) !== text) return [top];
  const parts = [top];
  for (let next = top.nextElementSibling; next !== null; next = next.nextElementSibling) {
    const inner = headingLevel(next) > 0 ? next : next.querySelector(headingNames);
    if (inner !== null && headingLevel(inner) <= headingLevel(heading)) break;
    parts.push(next);
  }
  return parts;
}

function sum(elements: readonly DomElement[], measure: (element: DomElement) => number): number {
  return elements.reduce((total, element) => total + measure(element), 0);
}
