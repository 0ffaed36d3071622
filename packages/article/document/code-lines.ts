import { childrenOf, type DomDocument, type DomElement, isElement } from "./dom.ts";

/**
 * Writes the elements that are lines of code as lines of text: as paragraphs they would be double-spaced, and inline
 * elements that the style sheet shows as lines would be one line.
 */
export function writeOutCodeLines(document: DomDocument): void {
  for (const line of document.body.querySelectorAll("pre div,pre p,pre ol,pre ul,pre li,pre span")) {
    if (line.localName === "span" && !isLineBeforeLine(line)) continue;
    if (line.nextSibling !== null && !endsWithBreak(line)) line.appendChild(document.createTextNode("\n"));
    if (line.localName !== "span") line.replaceWith(...childrenOf(line));
  }
}

function isLineBeforeLine({ className, nextSibling: next }: DomElement): boolean {
  return lineName.test(className) && isElement(next) && lineName.test(next.className);
}

const lineName = /(?:^|[\s_-])line(?:$|\s)/;

function endsWithBreak({ textContent, lastChild, nextSibling }: DomElement): boolean {
  const isBreak = isElement(lastChild) && lastChild.localName === "br";
  return isBreak || textContent.endsWith("\n") || nextSibling?.textContent.startsWith("\n") === true;
}
