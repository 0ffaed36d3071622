// SPDX-License-Identifier: MIT

/** Bytes of a chunk: enough to detect a format and an encoding. */
const chunkBytes = 65_536;

/** Chunks of about 64 KB; the last one may be smaller. */
export async function* inEvenChunks(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of source) {
    for (let start = 0; start < chunk.length; start += chunkBytes) {
      const part = chunk.subarray(start, start + chunkBytes);
      parts.push(part);
      size += part.length;
      if (size < chunkBytes) continue;
      yield concatenate(parts, size);
      parts = [];
      size = 0;
    }
  }
  if (size > 0) yield concatenate(parts, size);
}

/** The bytes of several parts, which are `size` in all. */
export function concatenate(parts: readonly Uint8Array[], size: number): Uint8Array {
  const [only] = parts;
  if (only && parts.length === 1) return only;
  const all = new Uint8Array(size);
  let end = 0;
  for (const part of parts) {
    all.set(part, end);
    end += part.length;
  }
  return all;
}

export async function* inOneChunk<T>(whole: T): AsyncGenerator<T> {
  yield whole;
}

/** The chunks that have `maxLength` in all, and whether these are all of them. The rest is read, and left out. */
export async function takeUpTo<T extends { length: number }>(
  chunks: AsyncIterable<T>,
  maxLength: number,
): Promise<{ parts: T[]; isWhole: boolean }> {
  const parts: T[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length <= maxLength) parts.push(chunk);
  }
  return { parts, isWhole: length <= maxLength };
}

/** The values that were read ahead, then the rest. */
export async function* resume<T>(ahead: readonly T[], rest: AsyncIterator<T>): AsyncGenerator<T> {
  yield* ahead;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}
