// SPDX-License-Identifier: MIT

import { mathAttributes, mathElements } from "@reading-list/core/domain/article-markup.ts";
import { escapeHtml, escapeText } from "@reading-list/core/domain/escape.ts";
import { type DefaultTreeAdapterTypes, html as parse5Html } from "parse5";
import { contains, type DomDocument, type DomElement, elementsWith, findElements, newElement } from "./dom.ts";
import { readClass } from "./element-names.ts";
import { mathAttribute } from "./serialize.ts";
import { readAttribute, type SourceElement } from "./source-tree.ts";
import { isHidden } from "./visibility.ts";

type SourceNode = DefaultTreeAdapterTypes.ChildNode;

/** Whether an element of parse5 is a formula in MathML. */
export const isMath = ({ tagName, namespaceURI }: SourceElement): boolean =>
  tagName === "math" && namespaceURI === parse5Html.NS.MATHML;

/** A formula in MathML as an element of the document, whose text is the formula in one line, for the rules; as TeX if it has no presentation. */
export function copyMath(math: SourceElement, document: DomDocument): DomElement {
  const tex = readAttribute(math, "alttext") || readTexAnnotation(math);
  const isBlock = readAttribute(math, "display") === "block" || readAttribute(math, "mode") === "display";
  const content = childrenMarkup(math, 0);
  const line = tex === "" ? writeAsLine(math).slice(0, maxLineLength) : withoutStyle(tex);
  const formula = newElement(document, "span", [document.createTextNode(line.trim())]);
  const markup = `<math${isBlock ? ' display="block"' : ""}>${content}</math>`;
  const isDrawn = />[^<]*[^<\s]/.test(content);
  formula.setAttribute(mathAttribute, isDrawn ? markup : escapeText(tex && markedTex(tex, isBlock)));
  return formula;
}

/**
 * Writes formulas that only scripts and style sheets draw as TeX, and shows formulas that encyclopedias hide behind an
 * image.
 */
export function writeOutMath(document: DomDocument): void {
  for (const formula of elementsWith(document.body, `${mathAttribute},aria-hidden`)) {
    if (!formula.hasAttribute(mathAttribute)) {
      // KaTeX without MathML.
      if (readClass(formula) === "katex-html" && formula.previousElementSibling === null)
        formula.removeAttribute("aria-hidden");
      continue;
    }
    const parent = formula.parentElement;
    if (parent !== null && isHidden(parent)) parent.replaceWith(formula);
    removeDrawn(formula);
    const next = formula.nextElementSibling;
    if (next?.localName === "img" && /math/.test(next.className)) next.remove();
  }
  // Readability takes the context menu in the class of MathJax 3 for a menu.
  for (const drawn of findElements(document.body, "mjx-container")) {
    const formula = drawn.querySelector(`[${mathAttribute}]`);
    if (formula !== null) drawn.replaceWith(formula);
  }
  // Gemini draws a formula with a style sheet, and editors such as Quill with a script.
  for (const drawn of elementsWith(document.body, texAttributes.join(","))) {
    if (!isDrawnFormula(drawn)) continue;
    const tex = texAttributes.map((name) => drawn.getAttribute(name) ?? "").find((value) => value.trim() !== "");
    if (tex === undefined || contains(drawn, "p") || drawn.querySelector(`[${mathAttribute}]`) !== null) continue;
    const isBlock = /block/.test(`${drawn.className} ${drawn.getAttribute("data-type") ?? ""}`);
    drawn.replaceWith(texNode(document, tex, isBlock));
  }
  for (const script of findElements(document.body, "script")) {
    const [type, kind] = /^math\/(tex|asciimath)/i.exec(script.getAttribute("type") ?? "") ?? [];
    if (type === undefined) continue;
    const formula = removeDrawn(script);
    const isBlock = /mode\s*=\s*display/.test(script.getAttribute("type") ?? "");
    const source = script.textContent;
    script.replaceWith(
      formula ?? (kind === "tex" ? texNode(document, source, isBlock) : document.createTextNode(source)),
    );
  }
}

/** Removes what MathJax 2 draws before the source of a formula; the formula in it if that is MathML. */
function removeDrawn(source: DomElement): DomElement | undefined {
  let formula: DomElement | undefined;
  for (let drawn = source.previousElementSibling; drawn !== null && /^MathJax/.test(readClass(drawn)); ) {
    const before = drawn.previousElementSibling;
    formula ??= elementsWith(drawn, mathAttribute)[0];
    drawn.remove();
    drawn = before;
  }
  return formula;
}

const ownAttributes = ["data-math", "data-formula", "data-latex", "data-tex", "data-katex", "data-equation"];
/** Other elements have expressions and values, too. */
const texAttributes = [...ownAttributes, "data-expr", "data-value"];

const isDrawnFormula = (element: DomElement) =>
  ownAttributes.some((name) => element.hasAttribute(name)) ||
  (element.hasAttribute("data-expr") && /math/i.test(readClass(element))) ||
  (element.hasAttribute("data-value") && /(?:^|\s)ql-formula(?:\s|$)/.test(readClass(element)));

const texNode = (document: DomDocument, tex: string, isBlock: boolean) =>
  document.createTextNode(tex.trim() === "" ? "" : markedTex(tex, isBlock));

/** TeX with the marks by which readers and programs recognise it. */
export function markedTex(tex: string, isBlock: boolean): string {
  const formula = withoutStyle(tex).trim();
  if (/^(?:\$[\s\S]*\$|\\[[(][\s\S]*\\[\])])$/.test(formula)) return formula;
  return isBlock ? `\\[${formula}\\]` : `\\(${formula}\\)`;
}

/** Without the size of the formula, such as `{\displaystyle …}` around each formula of Wikipedia. */
function withoutStyle(tex: string): string {
  return tex.replace(/^\s*\{(\\\w+style\b[\s\S]*)\}\s*$/, "$1").replace(/^\s*\\(?:display|text|script)style\b\s*/, "");
}

const isElement = (node: SourceNode): node is SourceElement => "tagName" in node;
/** The TeX from which a program made the formula; empty if the formula has no TeX. */
function readTexAnnotation(math: SourceElement): string {
  const parts = math.childNodes.filter(isElement);
  const notes = parts.flatMap((part) => (part.tagName === "semantics" ? part.childNodes.filter(isElement) : part));
  const annotations = notes.filter(({ tagName }) => tagName === "annotation");
  const tex = annotations.find((annotation) => /tex/i.test(readAttribute(annotation, "encoding")));
  return tex?.childNodes.map((node) => ("value" in node ? node.value : "")).join("") ?? "";
}

/** Elements with text only. */
const tokens = new Set(["mi", "mn", "mo", "ms", "mtext"]);
const core = new Set(mathElements);
/** Deeper formulas lose their inner parts. Real ones are less than 30 deep. */
const maxDepth = 60;
const maxLineLength = 2000;

const childrenMarkup = (parent: SourceElement, depth: number): string =>
  parent.childNodes.map((node) => (isElement(node) ? elementMarkup(node, depth + 1) : "")).join("");

/** An element of MathML Core. Older elements become a row; notes for programs, glyphs and actions are left out. */
function elementMarkup(element: SourceElement, depth: number): string {
  const { tagName } = element;
  if (depth > maxDepth || /^(?:annotation|mglyph$|malignmark$|maligngroup$|none$)/.test(tagName))
    return tagName === "none" ? "<mrow></mrow>" : "";
  if (tokens.has(tagName))
    return `<${tagName}${writeAttributes(element)}>${escapeText(plainText(element))}</${tagName}>`;
  if (tagName === "semantics" || tagName === "maction") {
    const [shown] = element.childNodes.filter(isElement);
    return shown === undefined ? "" : elementMarkup(shown, depth + 1);
  }
  if (tagName === "mfenced") return fenced(element, depth);
  const name = tagName === "mlabeledtr" ? "mtr" : core.has(tagName) ? tagName : "mrow";
  return `<${name}${writeAttributes(element)}>${childrenMarkup(element, depth)}</${name}>`;
}

/** Brackets with separators, in the form of MathML Core. */
function fenced(element: SourceElement, depth: number): string {
  const given = Object.fromEntries(element.attrs.map(({ name, value }) => [name, value]));
  const { open = "(", close = ")" } = given;
  const operator = (text: string) => (text === "" ? "" : `<mo>${escapeText(text)}</mo>`);
  const parts = element.childNodes.filter(isElement).map((child) => elementMarkup(child, depth + 1));
  return `<mrow>${operator(open)}${parts.join(operator(","))}${operator(close)}</mrow>`;
}

function writeAttributes(element: SourceElement): string {
  const allowed = [...(mathAttributes["*"] ?? []), ...(mathAttributes[element.tagName] ?? [])];
  const kept = element.attrs.filter(({ name, value }) => allowed.includes(name) && value.length <= maxValueLength);
  return kept.map(({ name, value }) => ` ${name}="${escapeHtml(value)}"`).join("");
}

const maxValueLength = 40;

const plainText = (element: SourceElement): string =>
  element.childNodes.map((node) => ("value" in node ? node.value : isElement(node) ? plainText(node) : "")).join("");

/** MathML as one line: `x^2`, `(a+b)/2`, `√(x)`. */
function writeAsLine(node: SourceNode, depth = 0): string {
  if (!isElement(node)) return "value" in node ? node.value.trim() : "";
  const name = node.tagName;
  if (depth > maxDepth || name.startsWith("annotation")) return "";
  const parts = node.childNodes.map((child) => writeAsLine(child, depth + 1)).filter(Boolean);
  const [base = "", ...others] = parts;
  const [first = "", second = ""] = others.map(inBrackets);
  if (name === "mfrac") return `${inBrackets(base)}/${first}`;
  if (name === "msup" || name === "mover") return `${base}^${first}`;
  if (name === "msub" || name === "munder") return `${base}_${first}`;
  if (name === "msubsup" || name === "munderover") return `${base}_${first}^${second}`;
  if (name === "msqrt") return `√(${parts.join("")})`;
  return parts.join("");
}

function inBrackets(text: string): string {
  return /^(?:[\p{L}\p{N}.]+|.)$/u.test(text) ? text : `(${text})`;
}
