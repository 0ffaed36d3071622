import { type DomElement, visibleText } from "../document/dom.ts";
import type { PageRule } from "./rule.ts";

/**
 * Gives small tables of data a `summary`, because Readability takes a table without headings for a layout and removes its
 * rows of links. Data are at least two rows of equally many short cells, a third of them without a link.
 */
export const smallTables: PageRule = {
  name: "small-tables",
  apply(document) {
    for (const table of document.body.querySelectorAll("table"))
      if (isData(table)) table.setAttribute("summary", "data");
  },
};

const notInCells = "table,th,caption,img,p,div,form,input,h1,h2,h3,ul";
/** Characters. */
const maxCellLength = 200;
const minPlainShare = 1 / 3;

function isData(table: DomElement): boolean {
  if (table.querySelector(notInCells) !== null) return false;
  const widths = new Set([...table.querySelectorAll("tr")].map((row) => row.children.length));
  const [width = 0] = widths;
  const cells = [...table.querySelectorAll("td")];
  const plain = cells.filter((cell) => cell.querySelector("a") === null && visibleText(cell) !== "");
  return (
    widths.size === 1 &&
    width > 1 &&
    cells.length > width &&
    plain.length >= cells.length * minPlainShare &&
    cells.every((cell) => visibleText(cell).length < maxCellLength)
  );
}
