// SPDX-License-Identifier: MIT

import {
  closestThat,
  contains,
  type DomElement,
  findElements,
  headingLevel,
  toLetters,
  visibleText,
} from "../document/dom.ts";
import { isShort } from "../document/lines.ts";

/** The references of a page, copied before the steps that remove site parts. */
export interface Bibliography {
  /** Letters of the last entry. */
  end: string;
  parts: readonly DomElement[];
}

/**
 * Finds the lists of references that a page has in a box of their own, such as a footer or a section after the article: below
 * a heading for references, or in a box that its role names as the end notes.
 */
export function findBibliographies(body: DomElement): Bibliography[] {
  const found: Bibliography[] = [];
  const taken = new Set<DomElement>();
  for (const start of findElements(body, "h1,h2,h3,h4,h5,h6,summary,section,div")) {
    if (found.length >= maxBibliographies) break;
    const isBox = start.getAttribute("role") === "doc-endnotes";
    if (!isBox && !isHeading(start)) continue;
    const parts = isBox ? [start] : sectionAt(start);
    const entries = parts.flatMap((part) => entriesIn(part));
    const letters = entries.map((entry) => toLetters(entry.textContent));
    if (letters.length < minEntries || letters.every((one) => one.length < minLetters)) continue;
    if (parts.some((part) => closestThat(part, (box) => taken.has(box)) !== null)) continue;
    for (const part of parts) taken.add(part);
    found.push({
      end: letters.findLast((one) => one.length >= minLetters) ?? "",
      parts: parts.map((part) => part.cloneNode(true)),
    });
  }
  return found;
}

/** The items of lists, or else the lines with a link or a year. */
function entriesIn(part: DomElement): DomElement[] {
  const items = findElements(part, "li,dd").filter((entry) => !contains(entry, "li,dd"));
  if (items.length > 0) return items;
  const lines = [part, ...findElements(part, "p,div")].filter(
    (line) => /^(?:p|div)$/.test(line.localName) && !contains(line, "p,div"),
  );
  return lines.filter((line) => contains(line, "a") || /\b(?:1[5-9]|20)\d\d\b/.test(line.textContent));
}

/** Adds, at its end, the references that an article lacks. */
export function addBibliographies(article: DomElement, bibliographies: readonly Bibliography[]): void {
  if (bibliographies.length === 0) return;
  const text = toLetters(article.textContent);
  for (const { end, parts } of bibliographies)
    if (!text.includes(end)) for (const part of parts) article.appendChild(part);
}

const isHeading = (element: DomElement) =>
  (headingLevel(element) > 0 || element.localName === "summary") &&
  isShort(element, maxHeadingLength) &&
  referencesLabel.test(visibleText(element));

/** A heading and the elements after it, up to the next heading; those after its box if it is alone there. */
function sectionAt(heading: DomElement): DomElement[] {
  let top = heading;
  while (top.nextElementSibling === null && top.parentElement !== null && isShort(top.parentElement, maxHeadingLength))
    top = top.parentElement;
  const parts = [heading];
  for (let next = top.nextElementSibling; next !== null && parts.length < maxParts; next = next.nextElementSibling) {
    if (headingLevel(next) > 0 || contains(next, "h1,h2")) break;
    parts.push(next);
  }
  return parts;
}

const referencesLabel =
  /^(?:references|(?:selected )?bibliography|works cited|literature(?: cited)?|sources|citations|footnotes|end ?notes|literatur(?:verzeichnis|hinweise)?|quellen(?:angaben|verzeichnis)?|einzelnachweise|bibliographie|références|bibliografía|referencias|fuentes|bibliografia|riferimenti|fonti|referências|literatuur|bronnen|литература|источники|参考文献|المراجع|المصادر)\W*$/iu;
const maxHeadingLength = 40;
/** Letters of an entry. */
const minLetters = 20;
const minEntries = 2;
const maxParts = 20;
const maxBibliographies = 3;
