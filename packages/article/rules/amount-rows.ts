// SPDX-License-Identifier: MIT

import { type DomElement, findElements, isElement, listChildren, visibleText } from "../document/dom.ts";
import type { Rule } from "./rule.ts";

/**
 * Joins a row of boxes, such as the amount and the name of an ingredient, into one paragraph. Without the page's style
 * sheet each box would be a separate line.
 */
export const amountRows: Rule = {
  name: "amount-rows",
  apply(article) {
    const rows = findElements(article, "div").filter(isRow);
    for (const row of rows) {
      const paragraph = row.ownerDocument.createElement("p");
      for (const box of [...row.children]) {
        if (paragraph.firstChild !== null) paragraph.appendChild(row.ownerDocument.createTextNode(" "));
        for (const node of listChildren(box)) paragraph.appendChild(node);
      }
      row.replaceWith(paragraph);
    }
  },
};

const maxRowLength = 80;
const maxBoxes = 4;
const amount = /^[\p{Sc}~≈]?\s?\p{N}/u;

function isRow(row: DomElement): boolean {
  const boxes = listChildren(row).filter((node) => isElement(node) || visibleText(node) !== "");
  return (
    boxes.length > 1 &&
    boxes.length <= maxBoxes &&
    visibleText(row).length <= maxRowLength &&
    boxes.every((box) => isElement(box) && /^(?:div|p)$/i.test(box.localName) && isLine(box)) &&
    boxes.some((box) => amount.test(visibleText(box))) &&
    // Several rows.
    !boxes.every((box) => amount.test(visibleText(box)) && /\p{L}{3}/u.test(visibleText(box)))
  );
}

function isLine(box: DomElement): boolean {
  return visibleText(box) !== "" && box.querySelector(blocks) === null;
}

const blocks = "address,blockquote,div,dl,figure,h1,h2,h3,h4,h5,h6,hr,img,li,p,pre,table";
