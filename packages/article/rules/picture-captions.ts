// SPDX-License-Identifier: MIT

import { contains, type DomElement, findClosest, findElements, hasText, visibleText } from "../document/dom.ts";
import { drawingAttribute } from "../document/drawings.ts";
import { readNameWords } from "../document/element-names.ts";
import { embedAttribute } from "../document/embeds.ts";
import { isSentence } from "../document/lines.ts";
import { mathAttribute } from "../document/serialize.ts";
import type { Rule } from "./rule.ts";

/**
 * Removes the captions and credits of images that the view does not show. Captions of tables, code and quotations stay.
 */
export const pictureCaptions: Rule = {
  name: "picture-captions",
  *apply(article, { images }) {
    for (const figure of findElements(article, "figure")) {
      const isLong = figure.querySelector("p + p") !== null && visibleText(figure).length > maxCaptionLength;
      const isText = isLong || isBoxOfText(figure);
      const isShown = images && figure.querySelector("img,amp-img") !== null;
      if (!isText && !isShown && figure.querySelector(otherContent) === null) yield figure;
    }
    for (const line of findElements(article, "p,div,span,small,em")) {
      if (!creditLine.test(visibleText(line)) || line.querySelector("a") !== null || line.closest("pre,table") !== null)
        continue;
      if (!images || line.closest("figure") === null) yield line;
    }
    const boxesWithMedia = new Map<DomElement, boolean>();
    for (const element of article.querySelectorAll("[class],[id],figcaption")) {
      const isNamed = isCaption(readNameWords(element)) || (images && element.localName === "figcaption");
      if (!isNamed || findClosest(element, "table") !== null) continue;
      if (visibleText(element).length <= maxCaptionLength && !(images && isNearMedia(element, boxesWithMedia)))
        yield element;
    }
  },
};

/** Whether a figure is a callout or a card, and no caption whose picture is missing. */
function isBoxOfText(figure: DomElement): boolean {
  if (contains(figure, "figcaption,img,amp-img")) return false;
  const parts = findElements(figure, "p,div,span,a");
  if (parts.some((part) => !hasText(part) || isCaption(readNameWords(part)))) return false;
  const lines = parts.filter((part) => part.localName === "p" || part.localName === "a");
  return lines.some((line) => isSentence(line)) && !creditLine.test(visibleText(figure));
}

/** Whether one of the three boxes around a caption has something to describe. Each box is searched once. */
function isNearMedia(caption: DomElement, known: Map<DomElement, boolean>): boolean {
  const box = caption.parentElement?.parentElement?.parentElement;
  if (!box) return true;
  const hasMedia = known.get(box) ?? box.querySelector(`img,amp-img,${otherContent}`) !== null;
  known.set(box, hasMedia);
  return hasMedia;
}

const otherContent = `table,pre,blockquote,code,ul,ol,dl,[${mathAttribute}],[${drawingAttribute}],[${embedAttribute}]`;
const maxCaptionLength = 600;

/** "Photo: Jane Doe", "(Image: © Jane Doe)". */
const creditLine =
  /^\W*(?:image|photo|picture|photograph|foto|credit)s?(?: credits?| courtesy)?(?: by| of)?\s?[:©].{1,120}$/i;

const pictureWords = ["photo", "image", "img", "picture", "media", "figure"];

/** A class "credit" without more may be about a bank. */
export function isCaption(words: readonly string[]): boolean {
  if (words.some((word) => word.includes("caption"))) return true;
  return words.some((word) => word.startsWith("credit")) && words.some((word) => pictureWords.includes(word));
}
