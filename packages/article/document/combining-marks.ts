// SPDX-License-Identifier: MIT

/** The maximum of combining marks on a letter; no script uses more. */
const maxMarks = 16;
const longRun = new RegExp(`(?:\\p{M}(?:<[^<>]*>)*){${maxMarks + 1},}`, "gu");

/**
 * Removes combining marks beyond 16 of one letter, even if tags are between them: browsers hang for a minute on a letter
 * with 100,000 marks.
 */
export function limitMarks(html: string): string {
  return html.replace(longRun, (run) => {
    let marks = 0;
    return run.replace(/\p{M}/gu, (mark) => (++marks <= maxMarks ? mark : ""));
  });
}
