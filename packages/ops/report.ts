// SPDX-License-Identifier: MIT

import { driftedTotals, type ListTotals } from "@reading-list/core/domain/list-counts.ts";

/** The output of a command: `data` with --json, else `text`. */
export interface Report {
  data: unknown;
  text: string;
  /** End with exit code 1, although the command did its work. */
  isFailure?: boolean;
  /** End with exit code 3: the command did a part of its work. */
  isPartial?: boolean;
}

/** A table in columns; the text `none` if it has no rows. */
export function alignColumns(heads: readonly string[], rows: readonly (readonly string[])[], none = ""): string {
  if (rows.length === 0 && none !== "") return none;
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

/** A line for each reason why some of an import were rejected. */
export const showRejected = <Outcome extends string>(
  counts: Record<Outcome, number>,
  reasons: Partial<Record<Outcome, string>>,
  noun: string,
): string[] =>
  Object.entries(reasons).flatMap(([outcome, reason]) => {
    const count = counts[outcome as Outcome];
    return count > 0 ? [`Rejected ${showCount(count, noun)}: ${reason}.`] : [];
  });

/** `1 item`, `2 items`. */
export const showCount = (value: number, noun: string, plural = `${noun}s`): string =>
  `${showNumber(value)} ${value === 1 ? noun : plural}`;

const namesOfTotals: Record<keyof ListTotals, string> = {
  countUnread: "unread items",
  countRead: "read items",
  highlights: "highlights",
  articles: "saved copies",
  articleBytes: "bytes of saved copies",
};

/** The counts of a user's record that differ from the stored items, articles and highlights, with their names for people. */
export function listDrift(record: ListTotals, counts: ListTotals): { name: string; count?: keyof ListTotals }[] {
  const drifted = driftedTotals(record, counts).map((count) => ({ name: namesOfTotals[count], count }));
  return drifted.length > 0 ? drifted : [{ name: "changes of the last second" }];
}
