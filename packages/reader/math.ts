import type { DomDocument, DomElement } from "./dom.ts";
import { isHidden } from "./visibility.ts";

/** Puts the source text of each formula in its place: MathML does not leave the reader, and scripts draw the others. */
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
  return math.getAttribute("alttext") ?? annotation?.textContent ?? math.textContent;
}

/** Encyclopedias hide the formula and show a drawing of it; the text goes where the reader sees it. */
function replaceFormula(document: DomDocument, formula: DomElement, source: string): void {
  const parent = formula.parentElement;
  const place = parent !== null && isHidden(parent) ? parent : formula;
  place.replaceWith(document.createTextNode(source.trim()));
}
