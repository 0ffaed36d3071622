// SPDX-License-Identifier: MIT

import { findClosest, findElements, hasText, toLetters, visibleText } from "../document/dom.ts";
import { readNameWords } from "../document/element-names.ts";
import { textLines } from "../document/lines.ts";
import { isCaption } from "./picture-captions.ts";
import type { Rule } from "./rule.ts";

/**
 * Removes the note about an author at the end of an article, which begins with the author's name and has at most 15% of the
 * text, and portraits of the author that are not in a sentence. The page declares the name, which has two words or more.
 */
export const authorNotes: Rule = {
  name: "author-notes",
  *apply(article, { authors }) {
    const names = new Set(authors.filter((author) => /\S\s+\S/.test(author)).map(toLetters));
    if (names.size === 0) return;
    for (const image of findElements(article, "img")) {
      const name = toLetters((image.getAttribute("alt") ?? "").replace(portrait, ""));
      if (names.has(name) && !hasText(findClosest(image, "p,li,td,figure") ?? image)) yield image;
    }
    const lines = textLines(article);
    const isName = (line: string) => [...names].some((name) => toLetters(line.replace(label, "")).startsWith(name));
    let length = visibleText(article).length * maxTextShare;
    let start = lines.length;
    for (const [index, line] of [...lines.entries()].reverse()) {
      const text = visibleText(line);
      length -= text.length;
      if (length < 0) break;
      if (isName(text) && !isCaption(readNameWords(line))) start = index;
    }
    yield* lines.slice(start);
  },
};

const maxTextShare = 0.15;
const portrait = /\b(?:photo|picture|image|avatar|head-?shot|portrait|profile|author|of|by|['’]s)\b/gi;
const label = /^(?:about|by|written by|author:?|meet)\s+/i;
