import { childrenOf, type DomDocument, type DomElement } from "../dom.ts";
import { proseLength } from "../prose.ts";
import type { PageRule } from "./rule.ts";

/**
 * Removes what the page itself marks as navigation, search, site header or footer, so that it does not compete with the
 * article. A landmark that holds much of the page's prose is mislabelled and stays; a footer within a quotation says whose
 * words they are.
 */
export const landmarks: PageRule = {
  name: "landmarks",
  apply(document) {
    const most = proseLength(document.body) * mostProse;
    for (const element of document.body.querySelectorAll(navigation)) dropUnless(element, most);
    for (const element of document.body.querySelectorAll("header,footer,[role=banner],[role=contentinfo]")) {
      if (element.closest("blockquote") !== null) keepAsParagraph(element, document);
      else if (element.closest(content) === null && element.querySelector(content) === null) dropUnless(element, most);
    }
  },
};

const navigation = "nav,[role=navigation],[role=search],[role=menu],[role=menubar],[role=dialog],[role=alertdialog]";
const content = "article,main,[role=main],h1";
const mostProse = 0.3;

function dropUnless(element: DomElement, most: number): void {
  if (proseLength(element) <= most) element.remove();
}

/** Readability removes every footer. */
function keepAsParagraph(footer: DomElement, document: DomDocument): void {
  const paragraph = document.createElement("p");
  for (const child of childrenOf(footer)) paragraph.appendChild(child);
  footer.replaceWith(paragraph);
}
