// SPDX-License-Identifier: MIT

import {
  type DomDocument,
  type DomElement,
  elementsWith,
  isElement,
  listChildren,
  newElement,
  visibleText,
} from "./dom.ts";
import { readClass } from "./element-names.ts";
import { isHidden, show } from "./visibility.ts";

/**
 * Writes callouts, such as notes and warnings of documentation, as quotations that begin with their title in bold: only the
 * style sheet of a page sets them apart from the text.
 */
export function markCallouts(document: DomDocument): void {
  for (const box of elementsWith(document.body, "data-callout,class")) {
    if (
      !boxes.has(box.localName) ||
      !isCallout(box) ||
      box.parentElement?.closest("blockquote") ||
      visibleText(box) === ""
    )
      continue;
    const title = elementsWith(box, "class").find((part) => titleName.test(readClass(part)));
    const text = (title === undefined ? "" : visibleText(title)) || calloutKind(box);
    title?.remove();
    for (const folded of box.querySelectorAll("[hidden],[style],[aria-hidden=true]"))
      if (isHidden(folded)) show(folded);
    const quotation = newElement(document, "blockquote", [titleLine(document, text), ...paragraphsIn(document, box)]);
    box.replaceWith(quotation);
  }
}

const boxes = new Set(["div", "aside", "section", "details", "blockquote", "p"]);
const kinds =
  "note|info|tip|hint|important|warning|caution|danger|error|success|example|question|quote|abstract|attention";
const boxName = /(?:^|\s)(?:callout|admonition|theme-admonition|markdown-alert|alert|hint)(?:\s|$)/;
const kindName = new RegExp(
  `(?:^|\\s)(?:(?:callout|admonition|theme-admonition|markdown-alert|alert|hint|is)-)?(${kinds})(?:\\s|$)`,
);
const titleName =
  /(?:^|\s)(?:callout-title|admonition-title|markdown-alert-title|alert-title|alert-heading)(?:\s|$)|admonitionHeading/;

/** A box of a known program, with a kind. A class "alert" without more may be a banner of the site. */
function isCallout(box: DomElement): boolean {
  return box.hasAttribute("data-callout") || (boxName.test(readClass(box)) && kindName.test(readClass(box)));
}

/** The kind in its name, as the title of a box without one. */
function calloutKind(box: DomElement): string {
  const kind = box.getAttribute("data-callout") || (kindName.exec(readClass(box))?.[1] ?? "");
  return kind === "" ? "" : kind.charAt(0).toUpperCase() + kind.slice(1);
}

const titleLine = (document: DomDocument, text: string) =>
  newElement(document, "p", [newElement(document, "strong", [document.createTextNode(text)])]);

/** A paragraph of a box that contains only text. */
function paragraphsIn(document: DomDocument, box: DomElement) {
  const nodes = listChildren(box);
  const isBlock = nodes.some(
    (node) =>
      isElement(node) && /^(?:p|div|ul|ol|pre|table|dl|h\d|section|blockquote|details|figure)$/.test(node.localName),
  );
  return isBlock ? nodes : [newElement(document, "p", nodes)];
}
