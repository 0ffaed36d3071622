// SPDX-License-Identifier: MIT

import {
  closestOf,
  contains,
  type DomElement,
  elementsOf,
  headingLevel,
  headingNames,
  lettersOf,
  visibleText,
} from "../document/dom.ts";
import { isPicture } from "../document/images.ts";
import { blocks } from "../document/lines.ts";
import { linkDensity } from "../document/prose.ts";
import { isAboutOthers } from "../rules/other-sections.ts";

/** A heading, quotation, code block or picture of a page, with the lines around it. */
interface Landmark {
  copy: DomElement;
  letters: string;
  /** Letters of the lines before and after it; empty at an end of the page. */
  before: string;
  after: string;
}

/** A landmark whose next line is not yet found. */
interface OpenLandmark {
  landmark: Landmark;
  element: DomElement;
}

/** Leaves of the headings before a line only those that are near it, each of a higher level than the next. */
function closeHeadings(open: OpenLandmark[], line: DomElement): void {
  let lower = Number.POSITIVE_INFINITY;
  for (const [index, { element }] of [...open.entries()].reverse()) {
    const level = headingLevel(element);
    if (level === 0) continue;
    const isNear = level < lower && element.parentElement?.contains(line);
    if (isNear) lower = level;
    else open.splice(index, 1);
  }
}

/**
 * Finds the headings, quotations, code, and pictures with a caption or a large declared size, which Readability must not
 * lose if it keeps the text around them. Called before Readability changes the document.
 */
export function findLandmarks(body: DomElement): Landmark[] {
  const parts = elementsOf(body, new Set([...lineBlocks, "img"])).filter(isPart);
  const landmarks: Landmark[] = [];
  let before = "";
  let open: OpenLandmark[] = [];
  for (const part of parts) {
    const letters = lettersOf(part.textContent);
    if (isLandmark(part)) {
      const landmark = { copy: part.cloneNode(true), letters, before, after: "" };
      if (landmarks.length >= maxLandmarks) break;
      landmarks.push(landmark);
      open.push({ landmark, element: part });
    } else if (letters.length >= minLetters) {
      closeHeadings(open, part);
      for (const { landmark } of open) landmark.after = letters;
      open = [];
      before = letters;
    }
  }
  return landmarks;
}

/**
 * Puts lost headings before the line below them, and quotations, code and pictures between the lines around them, as far as
 * the article has these lines.
 */
export function restoreLandmarks(article: DomElement, landmarks: readonly Landmark[]): void {
  const lines = new Map<string, { line: DomElement; index: number }>();
  for (const [index, line] of elementsOf(article, lineBlocks).entries()) {
    if (contains(line, lineBlocks)) continue;
    const letters = lettersOf(line.textContent);
    if (letters.length >= minLetters && !lines.has(letters)) lines.set(letters, { line, index });
  }
  const text = lettersOf(article.textContent);
  const headings = new Set(elementsOf(article, headingNames).map((heading) => lettersOf(heading.textContent)));
  const sources = new Set(elementsOf(article, "img").map((image) => image.getAttribute("src")));
  const distance = (landmark: Landmark) =>
    (lines.get(landmark.after)?.index ?? 0) - (lines.get(landmark.before)?.index ?? 0);
  for (const landmark of landmarks) {
    const { copy, letters, before, after } = landmark;
    const next = lines.get(after);
    if (next === undefined || (headingLevel(copy) === 0 && (!lines.has(before) || distance(landmark) < 0))) continue;
    const images = copy.localName === "img" ? [copy] : elementsOf(copy, "img");
    const isPictureThere = images.some((image) => sources.has(image.getAttribute("src")));
    const isTextThere =
      headingLevel(copy) > 0
        ? headings.has(letters)
        : text.includes(letters.slice(-Math.min(maxSample, Math.ceil(letters.length / 2))));
    if (images.length > 0 ? isPictureThere : isTextThere) continue;
    for (const image of images) if (image !== copy && !isPicture(image)) image.remove();
    const place = outermostStart(next.line, article);
    place.parentElement?.insertBefore(copy, place);
  }
}

const lineBlocks = new Set(blocks.split(","));
/** Letters of a line that stands once in a page. */
const minLetters = 30;
/** Letters of the end of a quotation or code: its start may be a label that is gone. */
const maxSample = 200;
const maxLandmarks = 1000;

/** Innermost blocks, quotations, code and figures as a whole. */
function isPart(element: DomElement): boolean {
  if (closestOf(element.parentElement, wholes) !== null || closestOf(element, elsewhere) !== null) return false;
  return wholes.has(element.localName) || element.localName === "img" || !contains(element, lineBlocks);
}

function isLandmark(part: DomElement): boolean {
  if (headingLevel(part) > 0) {
    const text = visibleText(part);
    return text !== "" && linkDensity(part) < 1 && !isAboutOthers(text);
  }
  if (part.localName === "pre") return true;
  if (part.localName === "blockquote") return linkDensity(part) < half;
  const images = part.localName === "img" ? [part] : part.localName === "figure" ? elementsOf(part, "img") : [];
  return images.some((image) => isLarge(image) || contains(part, "figcaption")) && closestOf(part, "a") === null;
}

const isLarge = (image: DomElement) =>
  ["width", "height"].every((side) => Number.parseFloat(image.getAttribute(side) ?? "0") >= minSide);
/** Pixels. */
const minSide = 200;
const half = 0.5;
const wholes = new Set(["pre", "blockquote", "figure"]);
const elsewhere = new Set(["nav", "aside", "footer", "form", "button", "dialog", "menu"]);

/** The outermost list or table that begins with a line, or the line. */
function outermostStart(line: DomElement, article: DomElement): DomElement {
  const list = closestOf(line, "ul,ol,dl,table");
  return list !== null && article.contains(list) && list !== article ? list : line;
}
