// SPDX-License-Identifier: MIT

import { childrenOf, type DomDocument, type DomElement, type DomNode, elementsOf, isElement } from "./dom.ts";
import { isHidden } from "./visibility.ts";

/** Replaces each formula by its source text: the view has no MathML, and TeX is drawn by scripts. */
export function writeOutMath(document: DomDocument): void {
  const scripts = [...document.body.querySelectorAll("script[type^='math/tex']")];
  // MathJax 2 draws a formula before the script that is its source.
  for (const { previousElementSibling: drawn } of scripts) if (drawn?.className.startsWith("MathJax")) drawn.remove();
  for (const script of scripts) replaceFormula(document, script, script.textContent);
  for (const math of elementsOf(document.body, "math")) replaceFormula(document, math, sourceOf(math));
}

function sourceOf(math: DomElement): string {
  const tex = math.getAttribute("alttext") ?? math.querySelector("annotation[encoding*=tex i]")?.textContent;
  return tex === undefined ? textOf(math) : withoutStyle(tex);
}

/** Without the size of the formula, such as `{\displaystyle …}` around each formula of Wikipedia. */
export function withoutStyle(tex: string): string {
  return tex.replace(/^\s*\{(\\\w+style\b[\s\S]*)\}\s*$/, "$1").replace(/^\s*\\(?:display|text|script)style\b\s*/, "");
}

/** MathML as one line: `x^2`, `(a+b)/2`, `√(x)`. */
function textOf(node: DomNode): string {
  if (!isElement(node)) return node.textContent.trim();
  const name = node.localName.toLowerCase();
  if (name.startsWith("annotation")) return "";
  const parts = childrenOf(node).map(textOf).filter(Boolean);
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

/** Encyclopedias hide the MathML and show an image; the hidden wrapper is replaced, so that the text is visible. */
function replaceFormula(document: DomDocument, formula: DomElement, source: string): void {
  const parent = formula.parentElement;
  const place = parent !== null && isHidden(parent) ? parent : formula;
  place.replaceWith(document.createTextNode(source.trim()));
}
