// SPDX-License-Identifier: MIT

import { contains, type DomElement, findClosest, findElements, visibleText } from "../document/dom.ts";
import { isNamed, readClass, readNameWords } from "../document/element-names.ts";
import { isInSentence, isShort } from "../document/lines.ts";
import { proseLength } from "../document/prose.ts";
import type { Rule } from "./rule.ts";

/**
 * If the whole main container is taken: removes side bars, menus, comments and other parts of the site by element,
 * class or id. Readability does the same for the article that it finds. A part with more than 25% of the prose stays.
 * Labels of fields, such as filters, and boxes without prose before the page's heading are removed, too.
 */
export const siteParts: Rule = {
  name: "site-parts",
  *apply(article, { type }) {
    const max = proseLength(article) * maxProseShare;
    for (const element of article.querySelectorAll("[class],[id],aside,footer,header")) {
      if (!article.contains(element) || contains(element, "h1") || findClosest(element, "blockquote") !== null)
        continue;
      if (type !== "thread" && isNamed(element, commentNames)) yield element;
      else if (isCart(element)) yield element;
      else if (isSitePart(element) && proseLength(element) <= max) yield element;
    }
    for (const label of article.querySelectorAll("label")) {
      const next = label.nextElementSibling;
      const isHeading = findClosest(label, "summary") !== null;
      if (!isHeading && (next === null || proseLength(next) === 0)) yield label;
    }
    yield* beforeHeading(article);
  },
};

/** The box with what a reader of a shop has chosen. */
const isCart = (element: DomElement) =>
  /cart|basket|bag/i.test(readClass(element)) && isShort(element, maxCartLength) && cart.test(visibleText(element));
const cart = /\b(?:your|my|shopping) (?:cart|bag|basket)\b|\b(?:cart|bag|basket) is (?:currently )?empty\b/i;
/** Characters. */
const maxCartLength = 600;

/** Removes the header of a site that does not mark it as one. */
function* beforeHeading(article: DomElement): Iterable<DomElement> {
  let place = article.querySelector("h1");
  if (place === null || visibleText(place) === "") return;
  for (; place !== null && place !== article; place = place.parentElement) {
    const siblings = [...(place.parentElement?.children ?? [])];
    for (const before of siblings.slice(0, siblings.indexOf(place))) {
      if (proseLength(before) === 0 && findElements(before, "a").length >= minLinks) yield before;
    }
  }
}

const minLinks = 3;
/** Comments may be longer than the article. */
const commentNames = new Set(["commentlist", "commentarea", "disqus"]);
const maxProseShare = 0.25;
// biome-ignore format: a line holds many short names
const parts = new Set([
  "footer", "navbar", "navigation", "menu", "sidebar", "breadcrumb", "breadcrumbs", "skip", "masthead", "comments",
  "newsletter", "related", "pagination", "pager", "filter", "filters", "sort", "login", "signin", "tooltip",
  "infotip",
]);

function isSitePart(element: DomElement): boolean {
  if (element.localName === "aside" || element.localName === "footer") return true;
  if (isInSentence(element)) return false;
  const words = readNameWords(element);
  // A formula may have a context menu, and a restaurant a menu of dishes.
  if (words.includes("menu") && element.querySelector("a,button,input") === null) return false;
  return words.some((word) => parts.has(word));
}
