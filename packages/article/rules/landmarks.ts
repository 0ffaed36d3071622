import { childrenOf, type DomDocument, type DomElement } from "../document/dom.ts";
import { proseLength } from "../document/prose.ts";
import type { PageRule } from "./rule.ts";

/**
 * Removes elements that the page marks as navigation, search, site header or footer, before the article is looked for. A
 * landmark with more than 30% of the page's prose and 600 characters is mislabelled and stays. A footer in a quotation names its author and
 * stays.
 */
export const landmarks: PageRule = {
  name: "landmarks",
  apply(document) {
    const max = Math.max(littleProse, proseLength(document.body) * maxProseShare);
    for (const element of document.body.querySelectorAll(navigation)) dropUnless(element, max);
    for (const element of document.body.querySelectorAll("header,footer,[role=banner],[role=contentinfo]")) {
      if (element.closest("blockquote") !== null) keepAsParagraph(element, document);
      else if (element.closest(content) === null && element.querySelector(content) === null) dropUnless(element, max);
    }
  },
};

const navigation = "nav,[role=navigation],[role=search],[role=menu],[role=menubar],[role=dialog],[role=alertdialog]";
const content = "article,main,[role=main],h1";
const maxProseShare = 0.3;
/** Characters. On a page without an article, the footer is most of the prose. */
const littleProse = 600;

function dropUnless(element: DomElement, max: number): void {
  if (proseLength(element) <= max) element.remove();
}

/** Readability removes all footers. */
function keepAsParagraph(footer: DomElement, document: DomDocument): void {
  const paragraph = document.createElement("p");
  for (const child of childrenOf(footer)) paragraph.appendChild(child);
  footer.replaceWith(paragraph);
}
