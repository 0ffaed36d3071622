// SPDX-License-Identifier: MIT

import { type DomElement, findElements, visibleText } from "../document/dom.ts";
import type { Rule } from "./rule.ts";

/**
 * Gives small tables of data a `summary`, because Readability treats a table without headings as layout and removes its
 * rows of links. Data are at least two rows of equally many cells, a third of them without a link.
 */
export const smallTables: Rule = {
  name: "small-tables",
  apply(body) {
    for (const table of findElements(body, "table")) if (isData(table)) table.setAttribute("summary", "data");
  },
};

const notInCells = "table,th,caption,img,p,div,form,input,h1,h2,h3,ul";
const minPlainShare = 1 / 3;

function isData(table: DomElement): boolean {
  if (table.querySelector(notInCells) !== null) return false;
  const [width = 0, ...others] = findElements(table, "tr").map((row) => row.children.length);
  const cells = findElements(table, "td");
  const plain = cells.filter((cell) => cell.querySelector("a") === null && visibleText(cell) !== "");
  const isGrid = width > 1 && others.length > 0 && others.every((other) => other === width);
  return isGrid && plain.length >= cells.length * minPlainShare;
}
