// SPDX-License-Identifier: MIT

import { fold } from "@reading-list/core/domain/fold.ts";
import { type SearchTerm, searchLimits } from "@reading-list/core/domain/search-query.ts";
import { cutWords, findPieces } from "@reading-list/core/domain/search-words.ts";
import { splitIntoPairs } from "./prepare-text.ts";

/** The folded pieces of a term. The last piece may be a beginning. */
export interface Wanted {
  pieces: { text: string; isRun: boolean }[];
  isPrefix: boolean;
}

/** A term as the search looks for it; without pieces if no part of it is indexed. Folding may make 18 letters of one. */
export const toWanted = ({ text, isPrefix = false }: SearchTerm): Wanted => ({
  pieces: [...findPieces(cutWords(fold(text), searchLimits.words))].map(({ text: piece, isRun }) => ({
    text: piece,
    isRun,
  })),
  isPrefix,
});

/** FTS5's expression for pages that have all of the terms (`AND`), or one of them (`OR`); undefined without terms. */
export function writeMatch(terms: readonly Wanted[], operator: "AND" | "OR"): string | undefined {
  const expressions = terms.filter(({ pieces }) => pieces.length > 0).map((term) => `(${writeExpression(term)})`);
  return expressions.length > 0 ? [...new Set(expressions)].join(` ${operator} `) : undefined;
}

/** Pieces of one term stand one after the other, as in `e-mail`. */
function writeExpression({ pieces, isPrefix }: Wanted): string {
  const tokens = pieces.flatMap(({ text, isRun }) => (isRun ? tokensOfRun(text) : [text]));
  const last = pieces.at(-1);
  // One character of a run is the beginning of a pair, or the last character.
  const isBeginning = isPrefix || (pieces.length === 1 && last?.isRun === true && [...last.text].length === 1);
  return `"${tokens.join(" ")}"${isBeginning ? "*" : ""}`;
}

const tokensOfRun = (run: string) => ([...run].length === 1 ? [run] : splitIntoPairs(run));
