// SPDX-License-Identifier: MIT

import { withChildrenOf } from "../document/dom.ts";
import type { Rule } from "./rule.ts";

/**
 * Removes elements that the page marks as navigation, search, site header or footer, before the article is looked for. A
 * footer in a quotation names its author and stays.
 */
export const landmarks: Rule = {
  name: "landmarks",
  *apply(body) {
    for (const element of body.querySelectorAll("nav,[role]"))
      if (element.localName === "nav" || navigation.test(element.getAttribute("role") ?? "")) yield element;
    for (const element of body.querySelectorAll("header,footer,[role=banner],[role=contentinfo]")) {
      // Readability removes all footers.
      if (element.closest("blockquote") !== null) element.replaceWith(withChildrenOf(element, "p"));
      else if (element.closest(content) === null && element.querySelector(content) === null) yield element;
    }
  },
};

const navigation = /^(?:navigation|search|menu|menubar|dialog|alertdialog)$/;
const content = "article,main,[role=main],h1";
