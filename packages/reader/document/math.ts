import type { DomDocument, DomElement } from "./dom.ts";
import { isHidden } from "./visibility.ts";

/** Replaces each formula by its source text: the view has no MathML, and TeX is drawn by scripts. */
export function writeOutMath(document: DomDocument): void {
  for (const math of document.body.querySelectorAll("math")) {
    replaceFormula(document, math, sourceOf(math));
  }
  for (const script of document.body.querySelectorAll("script[type^='math/tex']")) {
    replaceFormula(document, script, script.textContent);
  }
}

function sourceOf(math: DomElement): string {
  const annotation = math.querySelector("annotation[encoding*=tex i]");
  return withoutWrapper(math.getAttribute("alttext") ?? annotation?.textContent ?? math.textContent);
}

/** Wikipedia wraps each formula in `{\displaystyle …}`, which says nothing about its content. */
function withoutWrapper(source: string): string {
  return /^\s*\{\\(?:display|text)style\s+([\s\S]*)\}\s*$/.exec(source)?.[1] ?? source;
}

/** Encyclopedias hide the MathML and show an image; the hidden wrapper is replaced, so that the text is visible. */
function replaceFormula(document: DomDocument, formula: DomElement, source: string): void {
  const parent = formula.parentElement;
  const place = parent !== null && isHidden(parent) ? parent : formula;
  place.replaceWith(document.createTextNode(source.trim()));
}
