// SPDX-License-Identifier: MIT

import type { Entry } from "./entry.ts";

/** How many values cannot be imported, by the name of their field, and how many files, by their folder. */
export type LostCounts = Record<string, number>;

export function countLost(counts: LostCounts, { lost = {} }: Pick<Entry, "lost">): void {
  for (const field of Object.keys(lost)) add(counts, field);
}

export function countSkippedFiles(counts: LostCounts, names: readonly string[]): void {
  for (const name of names) add(counts, name.includes("/") ? `files in ${name.replace(/\/[^/]*$/, "")}` : name);
}

function add(counts: LostCounts, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

/** `note (12), highlights (3)`; empty if nothing is lost. */
export const showLost = (counts: LostCounts): string =>
  Object.entries(counts)
    .map(([name, count]) => `${name} (${count.toLocaleString("en")})`)
    .join(", ");
