// SPDX-License-Identifier: MIT

/** The metric of the Scrapinghub article extraction benchmark: F1 over bags of 4-word shingles. */

export interface Comparison {
  /** 0 if nothing was found on a page with content; undefined if the page has no content and nothing was found. */
  precision: number | undefined;
  recall: number;
  f1: number;
}

/** Compares the extracted text with the ground truth. Both have line breaks between blocks. */
export function compareTexts(truth: string, found: string): Comparison {
  const expected = shinglesOf(truth);
  const actual = shinglesOf(found);
  let hits = 0;
  for (const [shingle, count] of actual) hits += Math.min(count, expected.get(shingle) ?? 0);
  const inExpected = sum(expected.values());
  const inActual = sum(actual.values());
  return {
    precision: inActual === 0 ? (inExpected === 0 ? undefined : 0) : hits / inActual,
    recall: inExpected === 0 ? 1 : hits / inExpected,
    f1: inExpected + inActual === 0 ? 1 : (2 * hits) / (inExpected + inActual),
  };
}

export function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+/gu) ?? [];
}

/** The text of an HTML fragment, a line for each block. */
export function textOfHtml(html: string): string {
  return html
    .replace(blockTag, "\n")
    .replace(/<[^>]*>/g, "")
    .replace(/&(#x[\da-f]+|#\d+|\w+);/gi, (whole: string, name: string) => characterOf(name) ?? whole);
}

function shinglesOf(text: string): Map<string, number> {
  const words = wordsOf(text);
  const shingles = new Map<string, number>();
  for (let start = 0; start < Math.max(1, words.length - 3); start++) {
    const shingle = words.slice(start, start + 4).join(" ");
    if (shingle !== "") shingles.set(shingle, (shingles.get(shingle) ?? 0) + 1);
  }
  return shingles;
}

const blockTag =
  /<\/?(?:address|article|aside|blockquote|br|dd|details|div|dl|dt|figcaption|figure|footer|form|h[1-6]|header|hr|li|main|nav|ol|p|pre|section|summary|table|tbody|td|tfoot|th|thead|tr|ul)\b[^>]*>/gi;

const namedCharacters: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

function characterOf(name: string): string | undefined {
  if (!name.startsWith("#")) return namedCharacters[name];
  const isHex = name[1] === "x" || name[1] === "X";
  return String.fromCodePoint(Number.parseInt(name.slice(isHex ? 2 : 1), isHex ? 16 : 10));
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}
