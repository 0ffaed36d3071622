// SPDX-License-Identifier: MIT

import { contains, type DomElement, elementsOf, hasText, visibleText } from "./dom.ts";
import { linkDensity } from "./prose.ts";

export const blocks = "p,li,div,time,address,h1,h2,h3,h4,h5,h6,pre,blockquote,table,dd,dt,figure,figcaption,ul,ol";

/** The innermost blocks with text, in order. */
export function linesOf(article: DomElement): DomElement[] {
  const names = new Set(blocks.split(","));
  return elementsOf(article, names).filter((element) => !contains(element, names) && hasText(element));
}

/** Whether a line is long or a sentence. Others may be a name, a date or a label. */
export function isSentence(line: DomElement): boolean {
  const text = visibleText(line);
  return text.length > maxLabelLength || (sentenceEnd.test(text) && linkDensity(line) < 0.5);
}

const maxLabelLength = 50;
const sentenceEnd = /[.!?…。！？:;"”’»)\]]\s*$/;
