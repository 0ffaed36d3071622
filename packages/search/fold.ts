// SPDX-License-Identifier: MIT

import { unspaced } from "@reading-list/core/domain/search-words.ts";

/** Letters that Unicode does not decompose, as people type them without a keyboard for them. */
const plainLetters: Readonly<Record<string, string>> = {
  ...{ ß: "ss", ẞ: "ss", ł: "l", Ł: "l", ø: "o", Ø: "o", đ: "d", Đ: "d", ð: "d", ħ: "h", ı: "i" },
  ...{ æ: "ae", Æ: "ae", œ: "oe", Œ: "oe", þ: "th", Þ: "th" },
};
const ownLetters = new RegExp(`[${Object.keys(plainLetters).join("")}]`, "g");
const ascii = /^[\0-\x7f]*$/;

const unspacedRun = new RegExp(`[${unspaced}]+`, "gu");

/** A text without accents, in Unicode's compatible form: index and query alike. */
export const fold = (text: string): string =>
  ascii.test(text)
    ? text
    : text
        .normalize("NFKC")
        .normalize("NFD")
        .replace(/(?<=[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}])\p{Mn}+/gu, "")
        .normalize("NFC")
        .replace(ownLetters, (letter) => plainLetters[letter] ?? letter);

/** The pairs of neighbouring characters of a run: any part of it is a phrase of them. */
export function pairsOf(run: string): string[] {
  const characters = [...run];
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

/** A text as it is indexed: folded, with the runs of an unspaced script as pairs, and the last character. */
export function prepareText(text: string): string {
  const folded = fold(text);
  if (ascii.test(folded)) return folded;
  return folded.replace(unspacedRun, (run) => ` ${[...pairsOf(run), [...run].at(-1)].join(" ")} `);
}
