import { closestOf, contains, type DomElement, elementsOf, hasText, visibleText } from "../document/dom.ts";
import { linkDensity } from "../document/prose.ts";
import type { Rule } from "./rule.ts";

/**
 * Removes short lines that are not sentences before the first and after the last sentence of an article: dates, names,
 * "Share this", "Read more". Headings, lists, figures and formulas stay.
 */
export const edgeLines: Rule = {
  name: "edge-lines",
  *apply(article, { images }) {
    const lines = linesOf(article).filter((line) => !images || !contains(line, "img"));
    const first = lines.findIndex(isContent);
    if (first < 0) return;
    const max = visibleText(article).length * maxTextShare;
    yield* junkOf(lines.slice(0, first), max);
    yield* junkOf(lines.slice(lines.findLastIndex(isContent) + 1), max);
  },
};

/** More lines than this are a list, which stays. */
const maxLines = 8;
const maxLineLength = 50;
/** Of the article at each end. More is verse or a letter. */
const maxTextShare = 0.1;
export const blocks = "p,li,div,time,address,h1,h2,h3,h4,h5,h6,pre,blockquote,table,dd,dt,figure,figcaption,ul,ol";
const sentenceEnd = /[.!?…。！？:;"”’»)\]]\s*$/;

/** The innermost blocks with text, in order. */
export function linesOf(article: DomElement): DomElement[] {
  const names = new Set(blocks.split(","));
  return elementsOf(article, names).filter((element) => !contains(element, names) && hasText(element));
}

export function isContent(line: DomElement): boolean {
  const text = visibleText(line);
  return text.length > maxLineLength || (sentenceEnd.test(text) && linkDensity(line) < 0.5);
}

function junkOf(lines: readonly DomElement[], max: number): DomElement[] {
  const junk = lines.filter(isJunk);
  if (lines.length > maxLines || junk.reduce((sum, line) => sum + visibleText(line).length, 0) > max) return [];
  return junk;
}

export const neverJunk = "h1,h2,h3,h4,h5,h6,pre,table,ul,ol,dl,figure";
const formula = /[=^\\{}≤≥≈∑∫√]/;

function isJunk(line: DomElement): boolean {
  return closestOf(line, neverJunk) === null && !formula.test(visibleText(line)) && !isContent(line);
}
