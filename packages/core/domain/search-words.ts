// SPDX-License-Identifier: MIT

/** Scripts without spaces between words, or with endings that are written to the word, for a class of a regular expression. */
export const unspaced =
  "\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}ーｰ々〆ﾞﾟ";

/** A piece of a text: a word, or a run of an unspaced script. */
export interface Piece {
  text: string;
  isRun: boolean;
  /** UTF-16 units before it. */
  start: number;
}

/** The same characters as in SQLite's tokenizer in `index-file.ts`. */
const pieceForm = new RegExp(`(?<run>[${unspaced}]+)|(?:(?![${unspaced}])[\\p{L}\\p{N}\\p{Co}\\p{Mn}\\p{Mc}])+`, "gu");

/** The pieces of a text, without the characters between them. */
export function* findPieces(text: string): Generator<Piece> {
  for (const { 0: piece, index, groups } of text.matchAll(pieceForm))
    yield { text: piece, isRun: groups?.run !== undefined, start: index };
}

/** The beginning of a text with so many words. In scripts without spaces, each character is a word. */
export function cutWords(text: string, count: number): string {
  let left = count;
  for (const { text: piece, isRun, start } of findPieces(text)) {
    const characters = isRun ? [...piece] : [piece];
    if (characters.length > left) return text.slice(0, start) + characters.slice(0, left).join("");
    left -= characters.length;
  }
  return text;
}
