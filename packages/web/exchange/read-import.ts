import { type Change, pageKeyOf } from "@reading-list/client/change.ts";
import type { LocalItem } from "@reading-list/client/main.ts";
import { type Entry, FormatError, type Problem, readEntries } from "@reading-list/exchange/main.ts";

export { FormatError };

export interface Import {
  /** What the file is, for people. */
  format: string;
  /** Pages that the list does not have, the oldest first. */
  entries: Entry[];
  /** Pages of the file that are in the list, or in the file before. */
  known: number;
  problems: Problem[];
}

/** Reads a file. Throws a FormatError if it is of no known format. */
export async function readImport(file: Blob, items: readonly LocalItem[]): Promise<Import> {
  const keys = new Set(items.map(({ url }) => pageKeyOf(url)));
  const { format, rows } = await readEntries(chunksOf(file));
  const result: Import = { format: format.title, entries: [], known: 0, problems: [] };
  for await (const row of rows) {
    if ("problem" in row) {
      result.problems.push(row);
      continue;
    }
    const key = pageKeyOf(row.url);
    if (keys.has(key)) result.known++;
    else result.entries.push(row);
    keys.add(key);
  }
  const timeOf = ({ timeAdded = 0 }: Entry) => timeAdded;
  result.entries.sort((a, b) => timeOf(a) - timeOf(b));
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
  entries.flatMap(({ url, title, tags, state }): Change[] => [
    { kind: "add", url, ...(title && { title }), ...(tags.length > 0 && { tags }) },
    ...(state === "read" ? [{ kind: "read" as const, url }] : []),
  ]);
