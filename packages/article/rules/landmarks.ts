// SPDX-License-Identifier: MIT

import { type DomElement, withChildrenOf } from "../document/dom.ts";
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
    for (const element of document.body.querySelectorAll("nav,[role]"))
      if (element.localName === "nav" || navigation.test(element.getAttribute("role") ?? "")) dropUnless(element, max);
    for (const element of document.body.querySelectorAll("header,footer,[role=banner],[role=contentinfo]")) {
      // Readability removes all footers.
      if (element.closest("blockquote") !== null) element.replaceWith(withChildrenOf(element, "p"));
      else if (element.closest(content) === null && element.querySelector(content) === null) dropUnless(element, max);
    }
  },
};

const navigation = /^(?:navigation|search|menu|menubar|dialog|alertdialog)$/;
const content = "article,main,[role=main],h1";
const maxProseShare = 0.3;
/** Characters. On a page without an article, the footer is most of the prose. */
const littleProse = 600;

function dropUnless(element: DomElement, max: number): void {
  if (proseLength(element) <= max) element.remove();
}
