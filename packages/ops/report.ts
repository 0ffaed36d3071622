// SPDX-License-Identifier: MIT

/** The output of a command: `data` with --json, else `text`. */
export interface Report {
  data: unknown;
  text: string;
  /** End with exit code 1, although the command did its work. */
  isFailure?: boolean;
  /** End with exit code 3: the command did a part of its work. */
  isPartial?: boolean;
}

/** A table in columns. */
export function alignColumns(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [heads, ...rows];
  const widths = heads.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? "").length)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** One line for each name and value. */
export const alignPairs = (pairs: readonly (readonly [string, string])[]): string =>
  pairs.map(([name, value]) => `${name.padEnd(Math.max(...pairs.map(([each]) => each.length)))}  ${value}`).join("\n");

/** A time in UTC, such as `2026-11-21 06:00:00Z`. */
export const showTime = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().replace("T", " ").replace(".000", "");

export const showNumber = (value: number): string => value.toLocaleString("en");

/** `1 item`, `2 items`. */
export const countOf = (value: number, noun: string, plural = `${noun}s`): string =>
  `${showNumber(value)} ${value === 1 ? noun : plural}`;
