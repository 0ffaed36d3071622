// SPDX-License-Identifier: MIT

import { type Change, pageKeyOf } from "@reading-list/client/change.ts";
import type { LocalItem } from "@reading-list/client/main.ts";
import {
  countLost,
  countLostHighlight,
  countSkippedFiles,
  type LostCounts,
  showLost,
} from "@reading-list/exchange/lost.ts";
import { type Entry, FormatError, isHighlight, type Problem, readEntries } from "@reading-list/exchange/main.ts";

export { FormatError };

export interface Import {
  /** The name of the format, for people. */
  format: string;
  /** Pages that the list does not have, the oldest first. */
  entries: Entry[];
  /** Pages of the file that are in the list, or in the file before. */
  known: number;
  problems: Problem[];
  /** Fields that a list does not have, and how often; empty if there are none. */
  lost: string;
}

/** Reads a file. Throws a FormatError if it is of no known format. */
export async function readImport(file: Blob, items: readonly LocalItem[]): Promise<Import> {
  const keys = new Set(items.map(({ url }) => pageKeyOf(url)));
  const { format, rows, skippedFiles } = await readEntries(chunksOf(file));
  const result: Import = { format: format.title, entries: [], known: 0, problems: [], lost: "" };
  const lost: LostCounts = {};
  for await (const row of rows) {
    if ("problem" in row) {
      result.problems.push(row);
      continue;
    }
    if (isHighlight(row)) {
      countLostHighlight(lost);
      continue;
    }
    countLost(lost, row);
    const { lost: _, ...entry } = row;
    const key = pageKeyOf(row.url);
    if (keys.has(key)) result.known++;
    else result.entries.push(entry);
    keys.add(key);
  }
  countSkippedFiles(lost, skippedFiles);
  result.lost = showLost(lost);
  const timeOf = ({ timeAdded }: Entry) => timeAdded ?? Number.POSITIVE_INFINITY;
  const [first, last] = [result.entries[0], result.entries.at(-1)];
  // Pages of the same time stay in the order of the file, which most services write newest first.
  if (first && last && !(timeOf(first) < timeOf(last))) result.entries.reverse();
  result.entries.sort((a, b) => timeOf(a) - timeOf(b) || 0);
  return result;
}

/** Not `for await` of the stream, which Safari does not have. */
async function* chunksOf(file: Blob): AsyncGenerator<Uint8Array> {
  const reader = file.stream().getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

export const changesOf = ({ entries }: Import): Change[] =>
  entries.flatMap(({ url, title, tags, state, timeAdded }): Change[] => [
    {
      ...{ kind: "add", url, ...(title && { title }), ...(tags.length > 0 && { tags }) },
      // The service refuses times in the future.
      ...(timeAdded !== undefined && 1000 * timeAdded < Date.now() && { timeAdded: new Date(1000 * timeAdded) }),
    },
    ...(state === "read" ? [{ kind: "read" as const, url }] : []),
  ]);
