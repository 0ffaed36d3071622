// SPDX-License-Identifier: MIT

import { ChildLists } from "../document/child-lists.ts";
import {
  closestThat,
  contains,
  type DomElement,
  elementsWith,
  findClosest,
  findElements,
  headingLevel,
  headingNames,
  toLetters,
  visibleText,
} from "../document/dom.ts";
import { embedAttribute } from "../document/embeds.ts";
import { isPicture } from "../document/images.ts";
import { blocks, isShort } from "../document/lines.ts";
import { linkDensity } from "../document/prose.ts";
import { pointsAttribute } from "../rules/key-points.ts";
import { isAboutOthers } from "../rules/other-sections.ts";

/** A heading, quotation, code block or picture of a page, with the lines around it. */
interface Landmark {
  element: DomElement;
  letters: string;
  /** The addresses of its pictures. */
  sources: readonly (string | null)[];
  /** Letters of the lines before and after it; empty at an end of the page, and `start` directly below the title. */
  before: string;
  after: string;
  /** The element with a heading and the text below it. */
  section: DomElement | null;
}

/** Keeps, of the headings before a line, only the near ones, each of a higher level than the next. */
function closeHeadings(open: Landmark[], line: DomElement): void {
  let lower = Number.POSITIVE_INFINITY;
  for (const [index, { element, section }] of [...open.entries()].reverse()) {
    const level = headingLevel(element);
    if (level === 0) continue;
    const isNear = level < lower && section?.contains(line);
    if (isNear) lower = level;
    else open.splice(index, 1);
  }
}

/** The parent of a heading, or of the boxes that have only a short label besides, such as links to share the section. */
function findSection(heading: DomElement): DomElement | null {
  const max = heading.textContent.length + maxLabelLength;
  let section = heading.parentElement;
  while (section !== null && isShort(section, max) && findElements(section, headingNames).length === 1)
    section = section.parentElement;
  return section;
}

/** Characters. */
const maxLabelLength = 60;

/**
 * Finds the headings, quotations, code, and pictures with a caption or a large declared size, which Readability must not
 * lose if it keeps the text around them. Called before Readability changes the document.
 */
export function findLandmarks(body: DomElement): Landmark[] {
  const points = new Set(elementsWith(body, pointsAttribute));
  const isInPoints = (element: DomElement) =>
    points.size > 0 && closestThat(element.parentElement, (box) => points.has(box)) !== null;
  const parts = findElements(body, new Set([...lineBlocks, "img"])).filter(
    (element) => points.has(element) || (isPart(element) && !isInPoints(element)),
  );
  const landmarks: Landmark[] = [];
  let before = "";
  let open: Landmark[] = [];
  for (const part of parts) {
    const letters = toLetters(part.textContent);
    // Lines above the title are no part of the article.
    if (headingLevel(part) === 1) before = start;
    if (points.has(part) || isLandmark(part)) {
      const sources = findImages(part).map((image) => image.getAttribute("src"));
      const landmark = { element: part, letters, sources, before, after: "", section: findSection(part) };
      if (landmarks.length >= maxLandmarks) break;
      landmarks.push(landmark);
      open.push(landmark);
    } else if (letters.length >= minLetters) {
      closeHeadings(open, part);
      for (const landmark of open) landmark.after = letters;
      open = [];
      before = letters;
    }
  }
  return landmarks;
}

/**
 * Puts lost headings before the line below them, and quotations, code and pictures between the lines around them, as far as
 * the article has these lines. They are copied from the tree that the page was.
 */
export function restoreLandmarks(article: DomElement, landmarks: readonly Landmark[], page: ChildLists): void {
  const lines = new Map<string, { line: DomElement; index: number }>();
  for (const [index, line] of findElements(article, lineBlocks).entries()) {
    if (contains(line, lineBlocks)) continue;
    const letters = toLetters(line.textContent);
    if (letters.length >= minLetters && !lines.has(letters)) lines.set(letters, { line, index });
  }
  const text = toLetters(article.textContent);
  const headings = new Set(findElements(article, headingNames).map((heading) => toLetters(heading.textContent)));
  const shown = new Set(findElements(article, "img").map((image) => image.getAttribute("src")));
  const findLine = (letters: string) => lines.get(letters)?.index ?? Number.NaN;
  const lost = landmarks.filter(({ element, letters, sources, before, after }) => {
    const isHeading = headingLevel(element) > 0;
    const isIntroduction = isHeading || before === start || element.hasAttribute(pointsAttribute);
    if (!lines.has(after) || !(isIntroduction || findLine(before) <= findLine(after))) return false;
    if (sources.length > 0) return !sources.some((source) => shown.has(source));
    if (isHeading) return !headings.has(letters);
    const size = Math.min(maxSample, Math.ceil(letters.length / 2));
    return !text.includes(letters.slice(0, size)) && !text.includes(letters.slice(-size));
  });
  if (lost.length === 0) return;
  const asFound = new ChildLists(article);
  page.restore();
  const copies = lost.map(({ element, after }) => ({
    copy: element.cloneNode(true),
    next: lines.get(after),
    isInItem: findClosest(element, "li") !== null,
  }));
  asFound.restore();
  for (const { copy, next, isInItem } of copies) {
    for (const image of findImages(copy)) if (image !== copy && !isPicture(image)) image.remove();
    const line = next?.line ?? article;
    const place = isInItem ? line : outermostStart(line, article);
    place.parentElement?.insertBefore(copy, place);
  }
}

const findImages = (part: DomElement) => (part.localName === "img" ? [part] : findElements(part, "img"));

/** No letters of a line. */
const start = "^";
const lineBlocks = new Set(blocks.split(","));
/** Letters of a line that stands once in a page. */
const minLetters = 30;
/** Letters of the start or the end of a quotation or code: the other one may be a label that is gone. */
const maxSample = 200;
const maxLandmarks = 1000;

/** Innermost blocks, quotations, code and figures as a whole. */
function isPart(element: DomElement): boolean {
  if (findClosest(element.parentElement, wholes) !== null) return false;
  const box = findClosest(element, elsewhere);
  // An author puts a picture or a quotation beside the text.
  const isAlone = box?.localName === "aside" && wholes.has(element.localName) && isMostText(element, box);
  if (box !== null && !isAlone) return false;
  return wholes.has(element.localName) || element.localName === "img" || !contains(element, lineBlocks);
}

/** Whether a box has only an author or a label besides. */
const isMostText = (element: DomElement, box: DomElement) =>
  toLetters(box.textContent).length - toLetters(element.textContent).length <= maxLabelLength;

/**
 * Whether a heading is a link to another site, such as that of its subject, in an item of a list. A link within the site leads to
 * another story.
 */
function leadsElsewhere(heading: DomElement): boolean {
  if (findClosest(heading, "li") === null) return false;
  const { baseURI, documentURI } = heading.ownerDocument;
  const [target, page] = [findElements(heading, "a")[0]?.getAttribute("href") ?? "", documentURI].map((url) =>
    URL.parse(url, baseURI),
  );
  return target?.host !== page?.host && /^https?:$/.test(target?.protocol ?? "");
}

function isLandmark(part: DomElement): boolean {
  if (headingLevel(part) > 0) {
    const text = visibleText(part);
    return text !== "" && (linkDensity(part) < 1 || leadsElsewhere(part)) && !isAboutOthers(text);
  }
  if (part.localName === "pre") return true;
  if (part.localName === "blockquote") return linkDensity(part) < half;
  if (
    part.localName === "figure" &&
    part.firstChild === part.lastChild &&
    elementsWith(part, embedAttribute).length > 0
  )
    return true;
  const images = part.localName === "img" ? [part] : part.localName === "figure" ? findElements(part, "img") : [];
  return images.some((image) => isLarge(image) || contains(part, "figcaption")) && findClosest(part, "a") === null;
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
  const list = findClosest(line, "ul,ol,dl,table");
  return list !== null && article.contains(list) && list !== article ? list : line;
}
