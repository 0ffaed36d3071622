// SPDX-License-Identifier: MIT

export const wordsPerMinute = 200;

/** The words of sanitised HTML, whose attributes have no `>`; texts without spaces have few. */
export function countWords(html: string): number {
  let words = 0;
  let isInTag = false;
  let isInWord = false;
  for (let i = 0; i < html.length; i++) {
    const code = html.charCodeAt(i);
    if (code === 0x3c || code === 0x3e) isInTag = code === 0x3c;
    const isOfWord = !isInTag && code > 0x20 && code !== 0x3e && code !== 0xa0;
    if (isOfWord && !isInWord) words++;
    isInWord = isOfWord;
  }
  return words;
}

/** Minutes in which so many words are read. */
export const toMinutes = (words: number): number => Math.ceil(words / wordsPerMinute);
