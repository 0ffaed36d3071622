import { type DomElement, lettersOf, visibleText } from "../document/dom.ts";
import { nameWordsOf } from "../document/element-names.ts";
import { linkDensity, proseLength } from "../document/prose.ts";
import type { PageRule } from "./rule.ts";

/**
 * Removes names that do not tell the purpose of an element, because Readability and other rules remove elements by name:
 * ids made from the words of a heading ("Related work"), "menu" on a list of dishes without links, and "promo", "gallery"
 * and the like on boxes with more than 200 characters of prose.
 */
export const misleadingNames: PageRule = {
  name: "misleading-names",
  apply(document) {
    for (const element of document.body.querySelectorAll(titled)) if (isSlug(element)) element.removeAttribute("id");
    for (const element of document.body.querySelectorAll("[class*=menu i],[id*=menu i]")) {
      if (isListOfText(element)) {
        element.removeAttribute("class");
        element.removeAttribute("id");
      }
    }
    for (const element of document.body.querySelectorAll("div[class],section[class],div[id],section[id]")) {
      if (nameWordsOf(element).some((word) => proseNames.has(word)) && isProse(element)) {
        element.removeAttribute("class");
        element.removeAttribute("id");
      }
    }
  },
};

/** Names of boxes that often contain prose of the article; such a box is an advertisement only if it contains little. */
const proseNames = new Set(["cta", "promo", "promos", "promotion", "carousel", "readmore"]);
const leastProse = 200;
const fewLinks = 0.3;

function isProse(element: DomElement): boolean {
  return proseLength(element) > leastProse && linkDensity(element) < fewLinks;
}

const headings = "h1,h2,h3,h4,h5,h6";
const titled = "h1[id],h2[id],h3[id],h4[id],h5[id],h6[id],section[id],div[id],article[id]";
const mostlyLinks = 0.5;

function isSlug(element: DomElement): boolean {
  const isHeading = /^h[1-6]$/.test(element.localName);
  const heading = isHeading ? element : element.querySelector(headings);
  if (heading === null || lettersOf(element.id) !== lettersOf(visibleText(heading))) return false;
  // A box of links or comments is often called what its heading says.
  return isHeading || (!/comment/i.test(element.id) && linkDensity(element) < mostlyLinks);
}

function isListOfText(element: DomElement): boolean {
  return (
    nameWordsOf(element).includes("menu") &&
    element.querySelector("li") !== null &&
    element.querySelector("a,button,input") === null
  );
}
