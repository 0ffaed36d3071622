import { type DomElement, visibleText } from "../dom.ts";
import { nameWordsOf } from "../element-names.ts";
import { linkDensity } from "../prose.ts";
import type { PageRule } from "./rule.ts";

/**
 * Takes away the names that say nothing of what a part is for, since Readability and other rules remove parts by name:
 * ids made from the words of a heading ("Related work"), and "menu" where what is listed are no links but dishes.
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
  },
};

const headings = "h1,h2,h3,h4,h5,h6";
const titled = "h1[id],h2[id],h3[id],h4[id],h5[id],h6[id],section[id],div[id],article[id]";
const mostlyLinks = 0.5;

function isSlug(element: DomElement): boolean {
  const isHeading = /^h[1-6]$/.test(element.localName);
  const heading = isHeading ? element : element.querySelector(headings);
  if (heading === null || slugOf(element.id) !== slugOf(visibleText(heading))) return false;
  // A box of links or comments is often called what its heading says.
  return isHeading || (!/comment/i.test(element.id) && linkDensity(element) < mostlyLinks);
}

function slugOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
}

function isListOfText(element: DomElement): boolean {
  return (
    nameWordsOf(element).includes("menu") &&
    element.querySelector("li") !== null &&
    element.querySelector("a,button,input") === null
  );
}
