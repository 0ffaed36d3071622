// SPDX-License-Identifier: MIT

/** The maximum lengths of an item's fields, in Unicode code points (docs/api.md 8.3). */
export const maxLengths = { url: 4096, title: 1000, tags: 1000, refId: 1000, anchor: 500 };

/**
 * Length in Unicode code points, not in UTF-16 units. Above 100,000 units it returns the units, which costs nothing:
 * they are at least 50,000 code points, more than any limit.
 */
export const countCharacters = (value: string) => (value.length > 100_000 ? value.length : [...value].length);

/** Whether a text has more than `max` Unicode code points. They are counted only if it has more UTF-16 units. */
export const isLongerThan = (value: string, max: number) => value.length > max && countCharacters(value) > max;

/** The first `max` Unicode code points of a text. */
export const cutText = (text: string, max: number) =>
  text.length <= max ? text : [...text.slice(0, 2 * max)].slice(0, max).join("");

/** A title as the name of a file, without its extension. */
export const toFileName = (title: string, otherwise = "article"): string =>
  title
    .slice(0, 80)
    .toWellFormed()
    .replaceAll(/[\\/:*?"<>|\p{Cc}]+/gu, " ")
    .trim() || otherwise;

/** Parses an http(s) URL; undefined for anything else. */
export function parseWebUrl(url: string): URL | undefined {
  const parsed = URL.parse(url);
  return parsed?.protocol === "http:" || parsed?.protocol === "https:" ? parsed : undefined;
}
