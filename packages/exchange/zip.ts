// SPDX-License-Identifier: MIT

import { Unzip, type UnzipFile, UnzipInflate } from "fflate";

/** A file in an archive. Its chunks must be read before the next file. */
export interface ArchivedFile {
  name: string;
  chunks: AsyncIterable<Uint8Array>;
}

/** Bytes given to the decompressor at once. Deflate expands by a factor of 1,032 at most. */
const pieceBytes = 4096;
/** Text is compressed to about a tenth. An archive beyond this ratio, after the first 16 MB, is a zip bomb. */
const maxRatio = 100;
const freeBytes = 16_000_000;

/** The rest of an archive cannot be read. */
export class ArchiveError extends Error {
  override readonly name = "ArchiveError";
}

/**
 * The files of a zip archive that `isWanted`, decompressed as they are read. Throws an ArchiveError for an archive that
 * ends too early, is damaged or encrypted, or grows to more than 100 times its size (a zip bomb).
 */
export async function* readArchive(
  source: AsyncIterable<Uint8Array>,
  isWanted: (name: string) => boolean,
): AsyncGenerator<ArchivedFile> {
  type Event = { kind: "file"; name: string } | { kind: "data"; data: Uint8Array } | { kind: "end" };
  let events: Event[] = [];
  let isInFile = false;
  let packed = 0;
  let unpacked = 0;
  const unzip = new Unzip((file: UnzipFile) => {
    if (!isWanted(file.name)) return;
    events.push({ kind: "file", name: file.name });
    file.ondata = (error, data, isLast) => {
      if (error) throw error;
      unpacked += data.length;
      events.push({ kind: "data", data });
      if (isLast) events.push({ kind: "end" });
    };
    file.start();
  });
  unzip.register(UnzipInflate);

  async function* pieces() {
    for await (const chunk of source) {
      for (let start = 0; start < chunk.length; start += pieceBytes) yield chunk.subarray(start, start + pieceBytes);
    }
  }
  const input = pieces();
  /** The next event; undefined at the end of the archive. */
  async function nextEvent(): Promise<Event | undefined> {
    while (events.length === 0) {
      const { value: piece, done } = await input.next();
      if (done) {
        if (isInFile) throw new ArchiveError("the archive is cut off");
        return undefined;
      }
      packed += piece.length;
      try {
        unzip.push(piece);
      } catch {
        throw new ArchiveError("the archive is damaged or encrypted");
      }
      if (unpacked > freeBytes + maxRatio * packed) {
        throw new ArchiveError(`the archive grows to more than ${maxRatio} times its size`);
      }
    }
    const [event] = events;
    events = events.slice(1);
    return event;
  }
  let failure: unknown;
  async function* chunks() {
    try {
      for (let event = await nextEvent(); event && event.kind !== "end"; event = await nextEvent()) {
        if (event.kind === "data") yield event.data;
      }
      isInFile = false;
    } catch (error) {
      // Thrown after the events before it were read.
      failure = error;
    }
  }
  while (!failure) {
    const event = await nextEvent();
    if (!event) return;
    // If a file was not read to its end, its remaining data are skipped here.
    isInFile = event.kind !== "end";
    if (event.kind === "file") yield { name: event.name, chunks: chunks() };
  }
  throw failure;
}
