// SPDX-License-Identifier: MIT

import { fold } from "./fold.ts";
import type { SearchTerm } from "./search-query.ts";
import { unspaced } from "./search-words.ts";

/** A term of a search as it is looked for in a folded text. */
export interface FoldedTerm {
  text: string;
  isExcluded: boolean;
}

export const foldTerm = ({ text, isExcluded }: SearchTerm): FoldedTerm => ({
  text: fold(text).replaceAll(/\s+/g, " ").trim(),
  isExcluded,
});

/** Whether folded texts together meet all terms: a part of a word is enough, but an excluded one is a whole word. */
export const hasTerms = (texts: readonly string[], terms: readonly FoldedTerm[]): boolean =>
  terms.every(({ text: word, isExcluded }) =>
    isExcluded ? !texts.some((text) => hasWord(text, word)) : texts.some((text) => text.includes(word)),
  );

/** Characters of words that are written apart; in other scripts each part counts as a word. */
const ofWord = /[\p{L}\p{N}]/u;
const ofUnspaced = new RegExp(`[${unspaced}]`, "u");

/** Whether a folded text has this word, or these words in this order. */
function hasWord(text: string, word: string): boolean {
  const isPart = ofUnspaced.test(word);
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (isPart || !(ofWord.test(text[at - 1] ?? "") || ofWord.test(text[at + word.length] ?? ""))) return true;
  }
  return false;
}
