// SPDX-License-Identifier: MIT

import {
  contains,
  type DomElement,
  elementsWith,
  findClosest,
  findElements,
  headingLevel,
  visibleText,
} from "../document/dom.ts";
import { textLines } from "../document/lines.ts";
import { lostAttribute } from "./linked-cards.ts";
import type { Rule } from "./rule.ts";

/**
 * Removes boxes of at least 200 characters whose text an earlier box has, sections with heading and text of an earlier one, and
 * figures with the image and caption of an earlier one: pages contain them once for wide and once for narrow screens, and
 * scripts copy the slides of a carousel. Removes also a line of at least 80 characters that repeats the one before it, such as
 * a caption that is an introduction, too, and a line that a card with a picture repeats.
 */
export const repeatedText: Rule = {
  name: "repeated-text",
  removesCopies: true,
  *apply(article, { type }) {
    for (const [copy, other] of copiesIn(article, type === "other")) if (article.contains(other)) yield copy;
  },
};

/** An element, and another one with its text. Either may have been removed since. */
type Copy = [copy: DomElement, other: DomElement];

function* copiesIn(article: DomElement, hasCopiedSections: boolean): Iterable<Copy> {
  const earlier = new Map<string, DomElement>();
  for (const box of findElements(article, "div,section,ul,article,figure")) {
    // A reply may quote a whole post.
    if (!article.contains(box) || findClosest(box, "blockquote") !== null) continue;
    const text = visibleText(box);
    const image = box.localName === "figure" ? findElements(box, "img")[0]?.getAttribute("src") : undefined;
    if (image ? text === "" : text.length < minBoxLength) continue;
    const key = `${image ?? ""} ${text}`;
    const first = earlier.get(key);
    if (first === undefined || !article.contains(first)) earlier.set(key, box);
    else if (!first.contains(box)) yield [box, first];
  }
  yield* repeatedLines(article, hasCopiedSections);
  yield* repeatedInCards(article);
  yield* repeatedBoxes(article);
}

/** The paragraphs of boxes that Readability removed: one box for wide and one for narrow screens. */
function* repeatedBoxes(article: DomElement): Iterable<Copy> {
  const first = new Map<string, DomElement>();
  for (const paragraph of elementsWith(article, lostAttribute)) {
    const text = visibleText(paragraph);
    const other = first.get(text);
    if (other === undefined) first.set(text, paragraph);
    else yield [paragraph, other];
  }
}

/** The lines of a card with a picture that repeat an earlier one, such as a product's name above and below the picture. */
function* repeatedInCards(article: DomElement): Iterable<Copy> {
  for (const card of findElements(article, "li,figure")) {
    if (!contains(card, "img") || contains(card, "li,figure")) continue;
    const lines = new Map<string, DomElement>();
    for (const line of textLines(card)) {
      const text = visibleText(line);
      const isText = findClosest(line, "pre,table,blockquote") === null && !contains(line, "img");
      const first = lines.get(text);
      if (first === undefined) lines.set(text, line);
      else if (isText && text.length >= minCardLine) yield [line, first];
    }
  }
}

/** Characters. */
const minCardLine = 8;

/**
 * The lines of a section that repeat an earlier section with the same heading, unless the page is an article or a thread, such
 * as the meals of several days, and a long line that repeats the one before it. If a heading is between the two, the second one belongs to it.
 */
function* repeatedLines(article: DomElement, hasCopiedSections: boolean): Iterable<Copy> {
  const lines = textLines(article);
  const texts = lines.map(visibleText);
  const headings = new Map<string, number>();
  for (const [index, line] of lines.entries()) {
    const text = texts[index] ?? "";
    const place = headings.get(text);
    if (isHeading(line) && place === undefined) headings.set(text, index);
    else if (isHeading(line) && place !== undefined) {
      let end = index;
      while (end - index < index - place && texts[end] === texts[place + end - index]) end++;
      if (!hasCopiedSections || texts.slice(index, end).join("").length < text.length + minSectionLength) continue;
      for (const [offset, copy] of lines.slice(index, end).entries()) yield [copy, lines[place + offset] ?? copy];
    } else if (text.length >= minLineLength || line.localName === "figcaption") {
      const first = isHeading(lines[index - 1]) ? lines[index - 2] : lines[index - 1];
      // Verse repeats its refrain.
      if (first === undefined || visibleText(first) !== text || contains(line, "br,img")) continue;
      yield isHeading(lines[index - 1]) ? [first, line] : [line, first];
    }
  }
}

const isHeading = (line: DomElement | undefined) => headingLevel(line) > 0;

const minBoxLength = 200;
const minLineLength = 80;
/** Below its heading. */
const minSectionLength = 40;
