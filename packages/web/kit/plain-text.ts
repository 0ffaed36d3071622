// SPDX-License-Identifier: MIT

import { decodeText } from "@reading-list/core/domain/escape.ts";

/** The words of clean HTML, as the service returns it: for search and counting, not for display. */
export const toPlainText = (html: string): string =>
  // bounded: sanitised HTML, in which each tag ends
  decodeText(html.replaceAll(/<[^>]*>/g, " "));

/** Characters of scripts without spaces between words: Chinese, Japanese. */
const withoutSpaces = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu;

/** Minutes, at 230 words or 500 characters of Chinese and Japanese in a minute. */
export function readingMinutes(text: string): number {
  const characters = text.match(withoutSpaces)?.length ?? 0;
  const words = text.replaceAll(withoutSpaces, " ").match(/[\p{L}\p{N}]\S*/gu)?.length ?? 0;
  return toMinutes(words + (characters * 230) / 500);
}

export const toMinutes = (words: number): number => Math.max(1, Math.round(words / 230));

/** The beginning of clean HTML, cut as the service cuts it for saved texts. */
export const cutExcerpt = (html: string): string =>
  // bounded: 3,000 characters
  toPlainText(html.slice(0, 3000).replace(/<[^>]*$/, ""))
    .replaceAll(/\s+/g, " ")
    .trim()
    .slice(0, 200);
