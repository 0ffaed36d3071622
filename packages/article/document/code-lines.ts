import { childrenOf, type DomDocument } from "./dom.ts";

/** Writes the elements that are lines of code as lines of text, because as paragraphs they would be double-spaced. */
export function writeOutCodeLines(document: DomDocument): void {
  for (const line of document.body.querySelectorAll("pre div,pre p,pre li")) {
    const hasBreak = line.textContent.endsWith("\n") || line.nextSibling?.textContent.startsWith("\n");
    if (!hasBreak && line.nextSibling !== null) line.appendChild(document.createTextNode("\n"));
    line.replaceWith(...childrenOf(line));
  }
}
