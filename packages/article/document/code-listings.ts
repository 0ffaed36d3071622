// SPDX-License-Identifier: MIT

import {
  closestThat,
  contains,
  type DomDocument,
  type DomElement,
  type DomNode,
  findClosest,
  findElements,
  hasText,
  isAlone,
  isElement,
  listChildren,
  moveChildren,
  newElement,
  textNode,
  toLetters,
  visibleText,
} from "./dom.ts";
import { readClass } from "./element-names.ts";

/**
 * Writes a listing that a page builds of many elements as one `<pre>`, without the numbers of its lines: a table with a row
 * for each line or with a column of numbers, a `<pre>` or `<code>` for each line, a box of a highlighter without `<pre>`, lines in a
 * font for code.
 */
export function joinListings(document: DomDocument): void {
  for (const old of findElements(document.body, "xmp,listing,plaintext")) old.replaceWith(moveChildren(old, "pre"));
  for (const field of findElements(document.body, "textarea"))
    if (isListingField(field)) field.replaceWith(newListing(field.textContent, document));
  for (const code of findElements(document.body, "code,pre")) {
    for (const lineBreak of findElements(code, "br"))
      lineBreak.replaceWith(document.createTextNode(lineBreak.nextSibling?.textContent.startsWith("\n") ? "" : "\n"));
    removeNumbers(code);
  }
  const tried = new Set<DomElement>();
  for (const gutter of findElements(document.body, "div,pre")) joinGutter(gutter, tried);
  for (const box of findElements(document.body, "div,p,span,font,tt")) joinMonospaced(box);
  for (const table of findElements(document.body, "table")) {
    const code = readCodeTable(table);
    if (code !== undefined)
      (findClosest(table, "pre") ?? findClosest(table, "code") ?? table).replaceWith(newListing(code, document));
  }
  for (const parent of new Set(findElements(document.body, "pre,code").map(findUnitParent))) {
    if (parent !== null) joinLines(parent);
  }
  for (const box of findElements(document.body, "div")) {
    if (!box.hasAttribute("class")) continue;
    const isListing = highlighterName.test(readClass(box)) && box.textContent.trim().includes("\n");
    if ((isListing && !contains(box, otherBlocks)) || isBoxOfLines(box)) {
      removeNumbers(box);
      box.replaceWith(newListing(codeIn(box), document));
    }
  }
  for (const list of findElements(document.body, "ol")) {
    const names = `${readClass(list)} ${list.parentElement === null ? "" : readClass(list.parentElement)}`;
    if (listName.test(names) && !contains(list, otherBlocks)) list.replaceWith(newListing(codeIn(list), document));
  }
}

/** Whether a field only shows code, which nothing after it shows, too. Markup to embed a page is no code of an article. */
function isListingField(field: DomElement): boolean {
  const text = field.textContent;
  const lines = text.trim().split("\n");
  if (!field.hasAttribute("readonly") || lines.length < minLines || /^\s*[<[]/.test(text)) return false;
  const after = [field, field.parentElement].map((one) => toLetters(one?.nextElementSibling?.textContent ?? ""));
  return lines.some((line) => codeSign.test(line)) && !after.some((letters) => letters.includes(toLetters(text)));
}

/** Removes the numbers of the lines of a listing that is no table. */
function removeNumbers(listing: DomElement): void {
  for (const number of findElements(listing, "span,div,a"))
    if (
      numberName.test(readClass(number)) &&
      /^\s*\d+\s*$/.test(number.textContent) &&
      findClosest(number, "table") === null
    )
      number.remove();
}

const numberName = /(?:^|[\s_-])(?:linenos?|line-?numbers?|ln|lnt|lnum|gutter)(?:$|[\s_-])|-ln(?:$|\s)/i;
const listName = /(?:^|\s)(?:dp-\w+|linenums|[\w-]*highlighter)(?:$|\s)/i;

/**
 * Joins the lines of the element after a box of their numbers, such as an editor has it, and removes the box. An element in
 * a tried one is not looked at: its text would be read once for each box around it.
 */
function joinGutter(gutter: DomElement, tried: Set<DomElement>): void {
  const code = gutter.nextElementSibling;
  if (code === null || !hasOnlyNumbers(gutter) || !hasText(gutter)) return;
  if (!editorName.test([gutter, code, gutter.parentElement ?? gutter].map(readClass).join(" "))) return;
  const numbers = codeIn(gutter)
    .split(/\s+/)
    .filter((text) => text !== "");
  if (!countsUp(numbers, numbers.length) || closestThat(gutter, (box) => tried.has(box)) !== null) return;
  tried.add(code);
  const listing = withoutLastBreaks(codeIn(code));
  if (listing.split("\n").length !== numbers.length) return;
  if (!contains(code, "pre")) code.replaceWith(newListing(listing, gutter.ownerDocument));
  gutter.remove();
}

const editorName = /code|line|blob|highlight|gutter|editor|(?:^|\s)(?:ace|cm)[_-]/i;

function hasOnlyNumbers(node: DomNode): boolean {
  if (node.nodeType === textNode) return /^[\d\s]*$/.test(node.textContent);
  for (let child = node.firstChild; child !== null; child = child.nextSibling) if (!hasOnlyNumbers(child)) return false;
  return true;
}

/**
 * Writes lines in a font for code as a listing, and keeps the lines of other text whose white space the page shows, such as
 * verse.
 */
function joinMonospaced(box: DomElement): void {
  const style = `${box.getAttribute("style") ?? ""} ${box.getAttribute("face") ?? ""}`;
  const keepsSpace = /white-space\s*:\s*(?:pre|break-spaces)/i.test(style);
  const isMonospaced =
    box.localName === "tt" || monospace.test(style) || (keepsSpace && /code|line-?numbers/i.test(readClass(box)));
  if (!keepsSpace && !isMonospaced) return;
  if (findClosest(box.parentElement, "pre,code") !== null || contains(box, notInListings)) return;
  removeNumbers(box);
  const code = keepsSpace ? codeIn(box) : withoutIndents(codeIn(box));
  const lines = code.split("\n").filter((line) => line.trim() !== "");
  const document = box.ownerDocument;
  if (lines.length < 2) {
    if (!isMonospaced || !hasText(box)) return;
    if (/^(?:p|div)$/.test(box.localName)) box.replaceWith(newElement(document, "p", [moveChildren(box, "code")]));
    else if (isAlone(box) && box.parentElement?.localName === "p") box.replaceWith(moveChildren(box, "code"));
  } else if (
    isMonospaced &&
    lines.every((line) => line.length <= maxLine) &&
    lines.some((line) => codeSign.test(line))
  ) {
    const paragraph = box.parentElement?.localName === "p" && isAlone(box) ? box.parentElement : box;
    paragraph.replaceWith(newListing(withoutLastBreaks(code), document));
  } else if (keepsSpace && !contains(box, otherBlocks)) breakLines(box);
}

const monospace = /monospace|courier|consolas|menlo|monaco|lucida console/i;
const notInListings = new Set("h1,h2,h3,h4,h5,h6,img,table,pre,ul,ol,blockquote,section,article,figure".split(","));
/** Characters. */
const maxLine = 200;
const codeSign = /^(?:\t|[ \u00a0]{2})|[{};=<>|\\$#]|\w\(|:$/;

/** Code without the spaces of the page's markup: only non-breaking ones indent it. */
const withoutIndents = (code: string) => code.replace(/\n[ \t\n]*/g, "\n").trimStart();

/** Writes line breaks in text as elements. */
function breakLines(node: DomNode): void {
  for (const child of listChildren(node)) {
    if (child.nodeType !== textNode) breakLines(child);
    else if (child.textContent.trim().includes("\n")) {
      const document = (child.parentElement as DomElement).ownerDocument;
      const lines = child.textContent.trim().split("\n");
      child.replaceWith(
        ...lines.flatMap((line, index) => [
          ...(index === 0 ? [] : [document.createElement("br")]),
          document.createTextNode(line),
        ]),
      );
    }
  }
}

/** Whether an element has nothing but lines of code in boxes named so, as editors write them. */
function isBoxOfLines(box: DomElement): boolean {
  const lines = [...box.children];
  const isOfEditor = boxOfLines.test(readClass(box));
  const isLine = (line: DomElement) => {
    // The first test ends early for a box of lines, so that nested boxes cost no more than flat ones.
    if (line.localName !== "div" || hasDivBefore(line) || contains(line, notInLines)) return false;
    return isOfEditor || [line, ...findElements(line, "div")].some((inner) => codeLine.test(readClass(inner)));
  };
  return lines.length >= 2 && lines.every(isLine) && findClosest(box, "pre") === null;
}

/** Whether an element contains a `div` before another element. */
function hasDivBefore(node: DomNode): boolean {
  for (let child = node.firstChild; child !== null; child = child.nextSibling) {
    if (!isElement(child)) continue;
    if ((child.localName === "div" && child.nextElementSibling !== null) || hasDivBefore(child)) return true;
  }
  return false;
}

const boxOfLines = /(?:^|\s)(?:enlighter|ace_text-layer|code-?lines)(?:$|\s)/i;
const notInLines = new Set("p,pre,ul,ol,table,h1,h2,h3,h4,h5,h6,img,blockquote,section,article,code".split(","));

const codeLine = /(?:^|\s)(?:(?:view|token|code|file|source|cm|ec|ace|react-file)[_-]{0,2}line|line)(?:$|\s)/i;

function withoutLastBreaks(code: string): string {
  let end = code.length;
  while (code[end - 1] === "\n") end--;
  return code.slice(0, end);
}

const newListing = (code: string, document: DomDocument): DomElement =>
  newElement(document, "pre", [
    newElement(document, "code", [document.createTextNode(code.replaceAll("\u00a0", " "))]),
  ]);

// bounded: the process that reads a page is ended after a fixed time
const highlighterName = /(?:^|\s)(?:prism|hljs|codehilite|prettyprint|lang(?:uage)?-[a-z]\w*)(?:$|\s)/i;
const otherBlocks = new Set("p,div,pre,ul,ol,table,h1,h2,h3,h4,h5,h6,img,blockquote,section,article,code".split(","));

/** The code of a table of numbered lines; undefined if it is another table. */
function readCodeTable(table: DomElement): string | undefined {
  const rows = findElements(table, "tr").map((row) => [...row.children]);
  if (rows.length === 0 || contains(table, "table,th,img") || rows.some(({ length }) => length > 3)) return undefined;
  const cells = rows.map((row) => row.at(-1)).filter((cell) => cell !== undefined);
  const numbers = rows.flatMap((row) => row.slice(0, -1)).map(codeIn);
  if (!numbers.every((text) => /^[\d\s]*$/.test(text))) return undefined;
  const lines = cells.map((cell) => withoutLastBreaks(codeIn(cell)));
  const isMarked =
    findClosest(table.parentElement, "pre,code") !== null ||
    cells.every((cell) => isOnlyCode(cell) || monospace.test(cell.getAttribute("style") ?? ""));
  const isNumbered =
    cells.length === 1 && countsUp(numbers.join("\n").split(/\s+/), lines.join("\n").split("\n").length);
  const isNamed = /(?:^|[\s_-])(?:code|hljs|crayon|blob|highlight|rouge|syntax)/i.test(namesIn(table));
  return isMarked || isNamed || isNumbered ? lines.join("\n") : undefined;
}

/** Whether all text of an element is code: a post in a table may have some, too. */
const isOnlyCode = (cell: DomElement): boolean => contains(cell, "pre,code") && !hasTextBesideCode(cell);

function hasTextBesideCode(node: DomNode): boolean {
  if (node.nodeType === textNode) return hasText(node);
  if (isElement(node) && /^(?:pre|code)$/.test(node.localName)) return false;
  for (let child = node.firstChild; child !== null; child = child.nextSibling)
    if (hasTextBesideCode(child)) return true;
  return false;
}

const namesIn = (table: DomElement): string =>
  [table, ...findElements(table, "tr,td").slice(0, 4)].map(readClass).join(" ");

/** Whether texts are the numbers of all lines of a code of at least two. */
function countsUp(texts: readonly string[], lines: number): boolean {
  const numbers = texts.filter((text) => text !== "").map(Number);
  return (
    numbers.length >= 2 && numbers.length === lines && numbers.every((one, index) => one === (numbers[0] ?? 0) + index)
  );
}

/** The parent of the outermost box that has only a line of code and its number. */
const findUnitParent = (code: DomElement): DomElement | null => findUnit(code)?.parentElement ?? null;

/** Undefined if the code has several lines. */
function findUnit(code: DomElement): DomElement | undefined {
  if (contains(code, "pre,code") && code.localName === "pre" && findElements(code, "code").length > 1) return undefined;
  if (code.textContent.trim().includes("\n")) return undefined;
  let unit = code;
  for (let box = code.parentElement; box !== null && unitBoxes.has(box.localName); box = box.parentElement) {
    const rest = listChildren(box).filter((node) => node !== unit && hasText(node));
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
      const code = run.map((unit) => codeIn(findElements(unit, "pre,code")[0] ?? unit).replace(/\n$/, "")).join("\n");
      for (const other of others) other.remove();
      first?.replaceWith(newListing(code, parent.ownerDocument));
    }
    run = [];
  };
  for (const node of listChildren(parent)) {
    const isBreak = isElement(node) ? node.localName === "br" : !hasText(node);
    if (isElement(node) && isUnit(node)) run.push(node);
    else if (!isBreak) end();
    else if (run.length > 0 && isElement(node)) node.remove();
  }
  end();
}

function isUnit(node: DomElement): boolean {
  const codes = /^(?:pre|code)$/.test(node.localName) ? [node] : findElements(node, "pre,code");
  const [code] = codes;
  return code !== undefined && (codes.length === 1 || code.contains(codes[1] ?? code)) && findUnit(code) === node;
}

/** Whether units are lines of one listing, and not separate short listings. */
function isListing(run: readonly DomElement[], parent: DomElement): boolean {
  if (run.length < 2) return false;
  const isNumbered = run.some(
    (unit) => unit.localName !== "code" && /^\d{1,5}(?!\d)/.test(visibleText(unit)) && !startsWithCode(unit),
  );
  const isNamed = run.every((unit) =>
    lineName.test([unit, ...findElements(unit, "pre,code")].map(readClass).join(" ")),
  );
  const isAll = toLetters(parent.textContent) === run.map((unit) => toLetters(unit.textContent)).join("");
  return (
    isNumbered || isNamed || run.length >= minLines || (isAll && !/^(?:li|td|body|article)$/.test(parent.localName))
  );
}

/** Fewer may be separate commands. */
const minLines = 3;
const lineName = /(?:^|[\s_-])line(?:$|\s)/i;

/** Whether a page shows an inline element as a line of code. */
export const isLineOfCode = (element: DomElement): boolean =>
  lineName.test(readClass(element)) ||
  element.hasAttribute("data-line") ||
  /display\s*:\s*(?:block|flex|grid)/i.test(element.getAttribute("style") ?? "");

const startsWithCode = (unit: DomElement) =>
  visibleText(unit) === visibleText(findElements(unit, "pre,code")[0] ?? unit);

/** The text of an element, with a line for each block. */
function codeIn(node: DomNode): string {
  if (node.nodeType === textNode) return node.textContent.replaceAll("\u200b", "");
  if (!isElement(node)) return "";
  if (node.localName === "br") return "\n";
  let text = "";
  for (let child = node.firstChild; child !== null; child = child.nextSibling) {
    const part = codeIn(child);
    const isBlock = isElement(child) && (lineBoxes.has(child.localName) || isLineOfCode(child));
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
