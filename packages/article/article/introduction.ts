// SPDX-License-Identifier: MIT

import {
  closestThat,
  type DomElement,
  findClosest,
  findElements,
  moveChildren,
  toLetters,
  visibleText,
} from "../document/dom.ts";
import { isNamed } from "../document/element-names.ts";
import { isShort, linesAfter } from "../document/lines.ts";
import type { Page } from "../document/page.ts";
import { isProse, linkDensity } from "../document/prose.ts";

/** The lines after the heading of a page: a copy of each that may introduce an article, because Readability takes lines apart. */
export type Introduction = readonly { letters: string; copy: DomElement | undefined }[];

/**
 * The lines after the heading with the title. Sentences and the page's description of itself may introduce an article;
 * a line about one of its authors does not. A list belongs to the line that introduces it. On a page that declares an article, a short line and the description are
 * its summary, which is not part of the text.
 */
export function findIntroduction(page: Page, title: string, authors: readonly string[]): Introduction {
  const { body } = page.document;
  const heading = findElements(body, "h1").find((one) => toLetters(one.textContent) === toLetters(title));
  if (heading === undefined) return [];
  const description = toLetters(page.meta("og:description") || page.meta("description"));
  const isArticle = page.type === "article";
  const names = authors.map(toLetters).filter((name) => name !== "");
  const isAboutAuthor = (line: DomElement, letters: string) =>
    names.some((name) => letters.slice(0, maxNameEnd).includes(name)) ||
    closestThat(line, (box) => isNamed(box, aboutAuthors)) !== null;
  const lists = new Set<DomElement>();
  let isOpen = false;
  return linesAfter(heading, maxLines)
    .filter((line) => findClosest(line, notText) === null)
    .map((line) => {
      const list = findClosest(line, "ul,ol");
      const letters = toLetters((list ?? line).textContent);
      if (list !== null) {
        const isPart = isOpen && !lists.has(list) && isShort(list, maxListLength) && linkDensity(list) < half;
        isOpen = false;
        lists.add(list);
        return { letters, copy: isPart ? list.cloneNode(true) : undefined };
      }
      const isDescription = letters.length >= minLetters && description.startsWith(letters) && linkDensity(line) === 0;
      const isText = isProse(line) || isLeadIn(line);
      const isIntroduction = isArticle
        ? isText && !isDescription && letters.length > maxSummary
        : isText || isDescription;
      const isPart = isIntroduction && !isAboutAuthor(line, letters);
      isOpen = isPart && isLeadIn(line);
      return { letters, copy: isPart ? moveChildren(line.cloneNode(true), "p") : undefined };
    });
}

/**
 * Puts the introduction before an article that lacks it: Readability leaves out sentences beside the article, such as those
 * in a box around the heading. The introduction ends at the first line that the article has.
 */
export function addIntroduction(article: DomElement, lines: Introduction): void {
  const text = toLetters(article.textContent);
  const end = lines.findIndex(({ letters }) => letters.length >= minLetters && text.includes(letters));
  const first = article.firstChild;
  for (const { letters, copy } of lines.slice(0, Math.max(end, 0)))
    if (copy !== undefined && !text.includes(letters)) article.insertBefore(copy, first);
}

/** Whether a paragraph introduces a list. */
const isLeadIn = (line: DomElement) =>
  /[:：]$/.test(visibleText(line)) && visibleText(line).length > maxSummary && linkDensity(line) < half;

const half = 0.5;
/** Characters. */
const maxListLength = 1000;
const maxLines = 25;
const minLetters = 20;
/** Letters. */
const maxSummary = 100;
/** The author's name is at the start of a line about the author. */
const maxNameEnd = 60;
const aboutAuthors = new Set(["bio", "byline", "bylines", "tooltip"]);
const notText = "nav,aside,footer,form,figure,figcaption,button,table";
