// SPDX-License-Identifier: MIT

import { inEvenChunks, inOneChunk, resume } from "./chunks.ts";
import { readHeader } from "./csv.ts";
import { isHighlight, type Row } from "./entry.ts";
import { type Format, formats } from "./formats.ts";
import { type JsonElement, readElements } from "./json.ts";
import { readOmnivoreHighlights } from "./omnivore-highlights.ts";
import { decodeText } from "./text.ts";
import { ArchiveError, readArchive } from "./zip.ts";

export type { Entry, HighlightEntry, Problem, Row } from "./entry.ts";
export { isHighlight } from "./entry.ts";

/** The format of the file is unknown. The message is for the person who imports it. */
export class FormatError extends Error {
  override readonly name = "FormatError";
}

/** A file that is being read. */
export interface Reading {
  /** In an archive, the format of the first file in it. */
  format: Pick<Format, "name" | "title">;
  /** The entries and problems, in the order of the file. */
  rows: AsyncIterable<Row>;
  /** Files of an archive that are not imported, such as articles and highlights. Complete when all rows are read. */
  skippedFiles: readonly string[];
}

/**
 * Reads a file of bookmarks or of a reading list: its bytes, or chunks of them such as `file.stream()`. The format is
 * detected from the content. Memory does not grow with the file. Throws a FormatError if the format is unknown.
 * `withTexts`: entries have the texts of their pages, as far as the file has them.
 *
 * @example
 * const { format, rows } = await readEntries(file.stream());
 * for await (const row of rows) "problem" in row ? report(row) : save(row);
 */
export async function readEntries(
  source: Uint8Array | AsyncIterable<Uint8Array>,
  { withTexts = false }: { withTexts?: boolean } = {},
): Promise<Reading> {
  const chunks = inEvenChunks(source instanceof Uint8Array ? inOneChunk(source) : source);
  const { value: first = new Uint8Array() } = await chunks.next();
  const bytes = resume([first], chunks);
  const reading =
    first[0] === 0x50 && first[1] === 0x4b ? await readZip(bytes, withTexts) : await readText(bytes, withTexts);
  if (reading) return reading;
  throw new FormatError("unknown format; export HTML or CSV there");
}

/** Throws a FormatError for a file without a row, unless it is our own export of an empty list. */
export function refuseEmpty({ name, title }: Reading["format"]): void {
  if (name !== "json-lines")
    throw new FormatError(`no page was found in it, read as ${title}; export HTML or CSV there`);
}

/** Characters in which the first entry of a JSON file must end. */
const maxHeadLength = 4_000_000;

async function readText(bytes: AsyncIterable<Uint8Array>, withTexts: boolean): Promise<Reading | undefined> {
  const text = decodeText(bytes);
  const ahead: string[] = [];
  let checked = 0;
  for (let isEnded = false; !isEnded; ) {
    const next = await text.next();
    isEnded = next.done === true;
    if (!next.done) ahead.push(next.value);
    // Each check starts from the first chunk: checking after every chunk would take quadratic time.
    if (!isEnded && ahead.length < 2 * checked) continue;
    checked = ahead.length;
    const beginning = ahead.join("").trimStart();
    const isJson = /^[[{]/.test(beginning);
    const csv = isJson ? { columns: [], delimiter: "," } : readHeader(beginning);
    const element = isJson ? await readFirstElement(beginning) : undefined;
    const head = { text: beginning, csv, element, withTexts };
    const format = formats.find(({ matches }) => matches(head));
    if (format) return { format, rows: format.read(resume(ahead, text), head), skippedFiles: [] };
    if (!isJson || beginning.length > maxHeadLength) return undefined;
  }
  return undefined;
}

async function readFirstElement(text: string): Promise<JsonElement | undefined> {
  for await (const element of readElements(inOneChunk(text))) return "problem" in element ? undefined : element;
  return undefined;
}

/** Folders of archives without a list: articles, notes, collections, and metadata that macOS adds. */
const otherFolders = /(^|\/)(content|container|highlights|annotations|collections|__MACOSX)\//;

/** A kept article in an archive of `readinglist export`; its name has the id of its item. */
export const isArticleFile = (name: string) => /^articles\/\d{1,16}\.html$/.test(name);

async function readZip(bytes: AsyncIterable<Uint8Array>, withTexts: boolean): Promise<Reading | undefined> {
  const files: OtherFiles = { skipped: [], highlights: [] };
  const readings = findReadings(bytes, files, withTexts);
  try {
    const { value: first } = await readings.next();
    return (
      first && {
        format: first.reading.format,
        rows: readRows(resume([first], readings), files),
        skippedFiles: files.skipped,
      }
    );
  } catch (error) {
    throw error instanceof ArchiveError ? new FormatError(error.message) : error;
  }
}

/** Files of an archive that are no lists. */
interface OtherFiles {
  skipped: string[];
  /** Files of Omnivore's folder `highlights`, whose pages may come later. */
  highlights: { file: string; text: string }[];
}

/** A file of Omnivore's folder `highlights`; its name has the slug of its page. */
const highlightsFile = /^highlights\/(.+)\.md$/;
/** Characters of the highlights of an archive. */
const maxHighlightsLength = 64_000_000;

async function* findReadings(
  bytes: AsyncIterable<Uint8Array>,
  files: OtherFiles,
  withTexts: boolean,
): AsyncGenerator<{ file: string; reading: Reading }> {
  const isWanted = (name: string) => {
    const isList = /\.(csv|html?|jsonl?|txt)$/i.test(name) && !otherFolders.test(name) && !isArticleFile(name);
    if (isList || highlightsFile.test(name)) return true;
    if (!/\/$|^__MACOSX\//.test(name)) files.skipped.push(name);
    return false;
  };
  let left = maxHighlightsLength;
  for await (const { name, chunks } of readArchive(bytes, isWanted)) {
    if (highlightsFile.test(name)) {
      const parts: string[] = [];
      for await (const part of decodeText(chunks)) {
        left -= part.length;
        if (left >= 0) parts.push(part);
      }
      if (left >= 0) files.highlights.push({ file: name, text: parts.join("") });
      else files.skipped.push(name);
      continue;
    }
    const reading = await readText(chunks, withTexts);
    if (reading) yield { file: name, reading };
    else files.skipped.push(name);
  }
}

async function* readRows(
  readings: AsyncIterable<{ file: string; reading: Reading }>,
  { highlights, skipped }: OtherFiles,
): AsyncGenerator<Row> {
  const pages = new Map<string, { url: string; title: string }>();
  let line = 0;
  try {
    for await (const { file, reading } of readings) {
      for await (const row of reading.rows) {
        line = row.line;
        if (!("problem" in row || isHighlight(row)) && row.slug !== undefined) pages.set(row.slug, row);
        yield { ...row, file };
      }
    }
    for (const { file, text } of highlights) {
      const page = pages.get(highlightsFile.exec(file)?.[1] ?? "");
      if (page) yield* readOmnivoreHighlights(text, page).map((row) => ({ ...row, file }));
      else skipped.push(file);
    }
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    yield { problem: `${error.message}: nothing is read from here on`, line };
  }
}
