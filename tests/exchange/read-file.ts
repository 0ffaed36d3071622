// SPDX-License-Identifier: MIT

import { type Reading, type Row, readEntries } from "@reading-list/exchange/main.ts";

/** A file that arrives in chunks of a size. */
export async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

/** The format and all rows of a file. */
export async function readFile(file: string | Uint8Array): Promise<{ format: string; rows: Row[] }> {
  return collect(await readEntries(typeof file === "string" ? new TextEncoder().encode(file) : file));
}

export async function collect({ format, rows }: Reading): Promise<{ format: string; rows: Row[] }> {
  const all: Row[] = [];
  for await (const row of rows) all.push(row);
  return { format: format.name, rows: all };
}
