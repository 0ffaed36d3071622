// SPDX-License-Identifier: MIT

/** Letters that Unicode does not decompose, as people type them without a keyboard for them; and the sigma of an end. */
const plainLetters: Readonly<Record<string, string>> = {
  ß: "ss",
  ł: "l",
  ø: "o",
  đ: "d",
  ð: "d",
  ħ: "h",
  ı: "i",
  æ: "ae",
  œ: "oe",
  þ: "th",
  ς: "σ",
};
const ownLetters = new RegExp(`[${Object.keys(plainLetters).join("")}]`, "g");
const marked = /([\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}])\p{Mn}+/gu;
const ascii = /^[\0-\x7f]*$/;

/**
 * A text as every filter and search compares it, on the service, in an index and on a device: in lower case, without
 * accents, in Unicode's compatible form. Marks that change a letter, such as in kana and Devanagari, stay.
 */
export const fold = (text: string): string =>
  ascii.test(text)
    ? text.toLowerCase()
    : text
        .normalize("NFKC")
        .normalize("NFD")
        .replace(marked, "$1")
        .toLowerCase()
        .normalize("NFC")
        .replace(ownLetters, (letter) => plainLetters[letter] ?? letter);
