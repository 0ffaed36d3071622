// SPDX-License-Identifier: MIT

import { type DomElement, elementsWith, findClosest, visibleText } from "../document/dom.ts";
import { readNameWords } from "../document/element-names.ts";
import { isInSentence } from "../document/lines.ts";
import { isProse } from "../document/prose.ts";
import { isCaption } from "./picture-captions.ts";
import type { Rule } from "./rule.ts";

/**
 * Removes elements whose class or id says that they are not part of the article: share bars, newsletter boxes, forms, related
 * stories, bylines. Names are compared word by word. Headings stay, and so does an element with more than 25% of the
 * article's text. Elements are removed until 50% of the text is gone.
 */
export const furnitureNames: Rule = {
  name: "furniture-names",
  *apply(article, { images }) {
    const content = images ? `${neverFurniture},img` : neverFurniture;
    const length = visibleText(article).length;
    let removable = length * maxShareOfAll;
    for (const element of elementsWith(article, "class,id")) {
      if (!article.contains(element) || keptElements.has(element.localName.toLowerCase())) continue;
      if (
        !isFurniture(element, content) ||
        isInSentence(element) ||
        findClosest(element, "pre,code,blockquote") !== null
      )
        continue;
      const size = visibleText(element).length;
      if (size > length * maxShareOfOne || size > removable) continue;
      removable -= size;
      yield element;
    }
  },
};

const maxShareOfOne = 0.25;
const maxShareOfAll = 0.5;
const keptElements = new Set(["table", "tbody", "tr", "td", "th", "h1", "h2", "h3", "h4", "h5", "h6"]);
/** Content that no byline or cookie notice contains; a box of related stories or an advertisement may. */
const neverFurniture = "pre,code,table";

/** Names of elements that are removed whatever they contain. */
// biome-ignore format: a line holds many short names
const strongNames = new Set([
  "sharethis", "newsletter", "signup", "optin", "cta", "trending", "readmore", "rmp", "postratings", "advertisement",
  "advertising", "ads", "adsense", "promo", "promos", "promotion", "sponsored",
]);

/** Names of elements that are removed unless they are prose: these words are also parts of other names, such as "long-form". */
const ambiguousNames = new Set("share social popular related subscribe form buttons dropdown feedback".split(" "));

/** Names of elements that are removed unless they contain code or a table. */
const weakNames = new Set([
  // biome-ignore format: a line holds many short names
  "footer",
  "breadcrumb",
  "breadcrumbs",
  "byline",
  "timestamp",
  "dateline",
  "postinfo",
  "bio",
  "tags",
  "copyright",
]);

/** Names of elements that are removed unless they contain code, a table or an image. */
const boxNames = new Set(["popup", "modal", "tooltip", "gallery", "slideshow"]);

/** Names of two words. A single one of the words proves nothing. */
const furniturePairs = ["author box", "entry meta", "post meta", "article meta"];

function isFurniture(element: DomElement, content: string): boolean {
  const words = readNameWords(element);
  if (words.some((word) => strongNames.has(word))) return true;
  if (words.some((word) => ambiguousNames.has(word)) && !isProse(element)) return true;
  const joined = words.join(" ");
  const isWeak = words.some((word) => weakNames.has(word)) || furniturePairs.some((pair) => joined.includes(pair));
  if (isWeak && element.querySelector(neverFurniture) === null) return true;
  return words.some((word) => boxNames.has(word)) && !isCaption(words) && element.querySelector(content) === null;
}
