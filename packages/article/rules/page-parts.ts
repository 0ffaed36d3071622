// SPDX-License-Identifier: MIT

import {
  contains,
  type DomElement,
  elementsThat,
  elementsWith,
  findElements,
  isAlone,
  moveChildren,
} from "../document/dom.ts";
import { readClass } from "../document/element-names.ts";
import { isInSentence, isShort } from "../document/lines.ts";
import { linkDensity } from "../document/prose.ts";
import type { Rule } from "./rule.ts";

/**
 * Removes parts that are content of no page, before the article is looked for: navigation, search, site header and footer, the way from the home page, by
 * element and role; by the class names of common style sheets and highlighters labels for screen readers, lines for printers,
 * names of icons and the line numbers of code, which would be copied with it. A footer in a quotation names its author and stays.
 */
export const pageParts: Rule = {
  name: "page-parts",
  // Above the page, which it makes inert.
  isCertain: (element) => element.getAttribute("aria-modal") === "true" && !contains(element, "h1,article,main"),
  *apply(body) {
    for (const element of elementsThat(body, (one) => one.localName === "nav" || one.hasAttribute("role")))
      if (element.localName === "nav" || navigation.test(element.getAttribute("role") ?? "") || isExplanation(element))
        yield element;
    for (const element of body.querySelectorAll("header,footer,[role=banner],[role=contentinfo]")) {
      // Readability removes all footers.
      if (element.closest("blockquote") !== null) element.replaceWith(moveChildren(element, "p"));
      else if (element.closest(content) === null && element.querySelector(content) === null) yield element;
    }
    for (const list of findElements(body, "ul,ol")) if (isTrail(list)) yield list;
    yield* findSiteNames(body);
    for (const element of elementsWith(body, "class")) {
      const name = readClass(element);
      if ((forPrinters.test(name) || isShownInPrint(name)) && !contains(element, "h1,article,main")) yield element;
      // Alone, such as in a table of features, the name of an icon has a meaning.
      else if (iconFont.test(name) && !isAlone(element)) yield element;
      else if (isForScreenReaders(element) && !/^h[1-6]$/i.test(element.localName)) {
        if (!contains(element, "h1,h2,h3,h4,h5,h6,p,li")) yield element;
      } else if (lineNumber.test(name) && /^[\d\s]*$/.test(element.textContent)) {
        if (element.parentElement?.closest("pre,table")) yield element;
      }
    }
  },
};

/** The headings of the first level beside a main part that has its own: the name of the site or of the book. */
function findSiteNames(body: DomElement): DomElement[] {
  const headings = findElements(body, "h1");
  const others = headings.length < 2 ? [] : headings.filter((heading) => heading.closest(mainPart) === null);
  return others.length < headings.length ? others : [];
}

/** Whether an element explains a word of a sentence, and is shown when a pointer is over the word. */
const isExplanation = (element: DomElement) => element.getAttribute("role") === "tooltip" && isInSentence(element);

/** Whether a list leads from the home page to this page. */
function isTrail(list: DomElement): boolean {
  const items = [...list.children];
  if (items.length < 2 || items.length > maxTrail || !isShort(list, maxTrailLength)) return false;
  const [link] = findElements(list, "a");
  const [home, page] = [link?.getAttribute("href") ?? "about:blank", list.ownerDocument.documentURI].map((url) =>
    URL.parse(url, list.ownerDocument.baseURI),
  );
  const leadsHome = home?.host === page?.host && home?.pathname === "/" && page?.pathname !== "/";
  return leadsHome && items.slice(0, -1).every((item) => linkDensity(item) === 1);
}

const maxTrail = 7;
/** Characters. */
const maxTrailLength = 250;

const navigation = /^(?:navigation|search|menu|menubar|dialog|alertdialog)$/;
const mainPart = "article,main,[role=main]";
const content = "article,main,[role=main],h1";
const iconFont = /(?:^|\s)material-(?:icons|symbols)/;
const forScreenReaders =
  /(?:^|\s)(?:sr-only|(?:u-|is-)?visually-?hidden|hidden-visually|hide-visually|screen-?reader(?:-text|-only)?|assistive-text|clipped|a?-?off-?screen|show-for-sr|element-invisible|elementor-screen-only|accessib(?:ility|le)-hid(?:den|e)|aural)(?:\s|$)/i;

const forPrinters =
  /(?:^|\s)(?:print-?(?:only|header|footer|logo|title|url)|(?:only|show-for|show-on)-print|visible-print(?:-block|-inline|-inline-block)?)(?:\s|$)/i;
/** Bootstrap's classes of an element that a screen does not show. */
const isShownInPrint = (classes: string) => /(?:^|\s)d-none\s/i.test(classes) && /\sd-print-\S/i.test(classes);
const lineNumber = /(?:^|[\s_-])(?:linenos?|line-?numbers?|ln|lnt|lnum|gutter|blob-num|hljs-ln-n)(?:$|[\s_-])/i;

/** Whether the class of common style sheets says that only screen readers read an element. */
export const isForScreenReaders = (element: DomElement): boolean => forScreenReaders.test(readClass(element));
