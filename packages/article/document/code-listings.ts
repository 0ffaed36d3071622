// SPDX-License-Identifier: MIT

import {
  childrenOf,
  closestOf,
  contains,
  type DomDocument,
  type DomElement,
  type DomNode,
  elementsOf,
  hasText,
  isElement,
  lettersOf,
  newElement,
  textNode,
  visibleText,
} from "./dom.ts";
import { classOf } from "./element-names.ts";

/**
 * Writes a listing that a page builds of many elements as one `<pre>`, without the numbers of its lines: a table with a row
 * for each line or with a column of numbers, a `<pre>` or `<code>` for each line, a box of a highlighter without `<pre>`.
 */
export function joinListings(document: DomDocument): void {
  for (const code of elementsOf(document.body, "code"))
    for (const lineBreak of elementsOf(code, "br")) lineBreak.replaceWith(document.createTextNode("\n"));
  for (const table of elementsOf(document.body, "table")) {
    const code = codeOfTable(table);
    if (code !== undefined)
      (closestOf(table, "pre") ?? closestOf(table, "code") ?? table).replaceWith(listingOf(code, document));
  }
  for (const parent of new Set(elementsOf(document.body, "pre,code").map(parentOfUnit))) {
    if (parent !== null) joinLines(parent);
  }
  for (const box of document.body.querySelectorAll("div[class]")) {
    const isListing = highlighterName.test(classOf(box)) && box.textContent.trim().includes("\n");
    if ((isListing && !contains(box, otherBlocks)) || isBoxOfLines(box))
      box.replaceWith(listingOf(codeIn(box), document));
  }
}

/** Whether an element has nothing but lines of code in boxes named so, as editors write them. */
function isBoxOfLines(box: DomElement): boolean {
  const lines = [...box.children];
  const isLine = (line: DomElement) =>
    line.localName === "div" && codeLine.test(classOf(line)) && !contains(line, otherBlocks);
  return lines.length >= 2 && lines.every(isLine) && closestOf(box, "pre") === null;
}

const codeLine = /(?:^|\s)(?:(?:view|token|code|cm)-?line|(?:view|token|code)__line|line)(?:$|\s)/i;

function withoutLastBreaks(code: string): string {
  let end = code.length;
  while (code[end - 1] === "\n") end--;
  return code.slice(0, end);
}

const listingOf = (code: string, document: DomDocument): DomElement =>
  newElement(document, "pre", [newElement(document, "code", [document.createTextNode(code)])]);

// bounded: the process that reads a page is ended after a fixed time
const highlighterName = /(?:^|\s)(?:prism|hljs|codehilite|prettyprint|lang(?:uage)?-[a-z]\w*)(?:$|\s)/i;
const otherBlocks = new Set("p,div,pre,ul,ol,table,h1,h2,h3,h4,h5,h6,img,blockquote,section,article,code".split(","));

/** The code of a table of numbered lines; undefined if it is another table. */
function codeOfTable(table: DomElement): string | undefined {
  const rows = elementsOf(table, "tr").map((row) => [...row.children]);
  if (rows.length === 0 || contains(table, "table,th,img") || rows.some(({ length }) => length > 3)) return undefined;
  const cells = rows.map((row) => row.at(-1)).filter((cell) => cell !== undefined);
  const numbers = rows.flatMap((row) => row.slice(0, -1)).map(codeIn);
  if (!numbers.every((text) => /^[\d\s]*$/.test(text))) return undefined;
  const lines = cells.map((cell) => withoutLastBreaks(codeIn(cell)));
  const isMarked =
    closestOf(table.parentElement, "pre,code") !== null || cells.every((cell) => contains(cell, "pre,code"));
  const isNumbered =
    cells.length === 1 && countsUp(numbers.join("\n").split(/\s+/), lines.join("\n").split("\n").length);
  const isNamed = /(?:^|[\s_-])(?:code|hljs|crayon|blob|highlight|rouge|syntax)/i.test(namesIn(table));
  return isMarked || isNamed || isNumbered ? lines.join("\n") : undefined;
}

const namesIn = (table: DomElement): string =>
  [table, ...elementsOf(table, "tr,td").slice(0, 4)].map(classOf).join(" ");

/** Whether texts are the numbers of all lines of a code of at least two. */
function countsUp(texts: readonly string[], lines: number): boolean {
  const numbers = texts.filter((text) => text !== "").map(Number);
  return (
    numbers.length >= 2 && numbers.length === lines && numbers.every((one, index) => one === (numbers[0] ?? 0) + index)
  );
}

/** The parent of the outermost box that has only a line of code and its number. */
const parentOfUnit = (code: DomElement): DomElement | null => unitOf(code)?.parentElement ?? null;

/** Undefined if the code has several lines. */
function unitOf(code: DomElement): DomElement | undefined {
  if (contains(code, "pre,code") && code.localName === "pre" && elementsOf(code, "code").length > 1) return undefined;
  if (code.textContent.trim().includes("\n")) return undefined;
  let unit = code;
  for (let box = code.parentElement; box !== null && unitBoxes.has(box.localName); box = box.parentElement) {
    const rest = childrenOf(box).filter((node) => node !== unit && hasText(node));
    if (!rest.every((node) => isElement(node) && /^\d{1,5}$/.test(visibleText(node)))) break;
    unit = box;
  }
  return unit;
}

const unitBoxes = new Set(["div", "p", "pre", "span"]);

/** Joins runs of lines of code among the children of an element. */
function joinLines(parent: DomElement): void {
  let run: DomElement[] = [];
  const end = () => {
    if (isListing(run, parent)) {
      const [first, ...others] = run;
      const code = run.map((unit) => codeIn(elementsOf(unit, "pre,code")[0] ?? unit).replace(/\n$/, "")).join("\n");
      for (const other of others) other.remove();
      first?.replaceWith(listingOf(code, parent.ownerDocument));
    }
    run = [];
  };
  for (const node of childrenOf(parent)) {
    const isBreak = isElement(node) ? node.localName === "br" : !hasText(node);
    if (isElement(node) && isUnit(node)) run.push(node);
    else if (!isBreak) end();
    else if (run.length > 0 && isElement(node)) node.remove();
  }
  end();
}

function isUnit(node: DomElement): boolean {
  const codes = /^(?:pre|code)$/.test(node.localName) ? [node] : elementsOf(node, "pre,code");
  const [code] = codes;
  return code !== undefined && (codes.length === 1 || code.contains(codes[1] ?? code)) && unitOf(code) === node;
}

/** Whether units are lines of one listing, and not separate short listings. */
function isListing(run: readonly DomElement[], parent: DomElement): boolean {
  if (run.length < 2) return false;
  const isNumbered = run.some(
    (unit) => unit.localName !== "code" && /^\d{1,5}(?!\d)/.test(visibleText(unit)) && !startsWithCode(unit),
  );
  const isNamed = run.every((unit) => lineName.test([unit, ...elementsOf(unit, "pre,code")].map(classOf).join(" ")));
  const isAll = lettersOf(parent.textContent) === run.map((unit) => lettersOf(unit.textContent)).join("");
  return (
    isNumbered || isNamed || run.length >= minLines || (isAll && !/^(?:li|td|body|article)$/.test(parent.localName))
  );
}

/** Fewer may be separate commands. */
const minLines = 3;
const lineName = /(?:^|[\s_-])line(?:$|\s)/i;
const startsWithCode = (unit: DomElement) => visibleText(unit) === visibleText(elementsOf(unit, "pre,code")[0] ?? unit);

/** The text of an element, with a line for each block. */
function codeIn(node: DomNode): string {
  if (node.nodeType === textNode) return node.textContent.replaceAll("\u200b", "");
  if (!isElement(node)) return "";
  if (node.localName === "br") return "\n";
  let text = "";
  for (let child = node.firstChild; child !== null; child = child.nextSibling) {
    const part = codeIn(child);
    const isBlock = isElement(child) && (lineBoxes.has(child.localName) || lineName.test(classOf(child)));
    if (isBlock && text !== "" && !text.endsWith("\n")) text += "\n";
    text += part;
    if (isBlock && !part.endsWith("\n") && !beginsLine(child.nextSibling)) text += "\n";
  }
  return text;
}

/** Whether a node begins a line by itself, or there is no node. */
const beginsLine = (node: DomNode | null) =>
  node === null || (isElement(node) ? node.localName === "br" : node.textContent.startsWith("\n"));

const lineBoxes = new Set(["div", "p", "li", "tr", "pre"]);
