// SPDX-License-Identifier: MIT

import { inEvenChunks, inOneChunk, resume } from "./chunks.ts";
import { readHeader } from "./csv.ts";
import { isHighlight, type Row } from "./entry.ts";
import { type Format, formats } from "./formats.ts";
import { findShape } from "./json-shape.ts";
import { readOmnivoreHighlights } from "./omnivore-highlights.ts";
import { readBinaryPropertyList } from "./property-list.ts";
import { decodeText } from "./text.ts";
import { ArchiveError, readArchive } from "./zip.ts";

export type { Entry, HighlightEntry, Problem, Row } from "./entry.ts";
export { isHighlight } from "./entry.ts";

/** The format of the file is unknown. The message is for the person who imports it. */
export class FormatError extends Error {
  override readonly name = "FormatError";
}

export interface ReadingOptions {
  /** Entries have the texts of their pages, as far as the file has them. */
  withTexts?: boolean;
  /** The sites of a list of feeds are pages; else each is a problem. */
  withFeeds?: boolean;
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
 *
 * @example
 * const { format, rows } = await readEntries(file.stream());
 * for await (const row of rows) "problem" in row ? report(row) : save(row);
 */
export async function readEntries(
  source: Uint8Array | AsyncIterable<Uint8Array>,
  { withTexts = false, withFeeds = false }: ReadingOptions = {},
): Promise<Reading> {
  const chunks = inEvenChunks(source instanceof Uint8Array ? inOneChunk(source) : source);
  const { value: first = new Uint8Array() } = await chunks.next();
  const bytes = resume([first], chunks);
  const options = { withTexts, withFeeds };
  const reading = beginsWith(first, "PK") ? await readZip(bytes, options) : await readList(bytes, options);
  if (reading) return reading;
  const tried = formatsTried(first);
  throw new FormatError(
    tried
      ? `contains no page in a known format (tried ${tried}); export HTML or CSV from the service`
      : "unknown format; export HTML or CSV from the service",
  );
}

const beginsWith = (bytes: Uint8Array, text: string) => text === String.fromCharCode(...bytes.subarray(0, text.length));

/** The formats that a file of JSON or XML was compared with. */
function formatsTried(first: Uint8Array): string {
  const [begin = ""] =
    /[^\s\0\xef\xbb\xbf\xff\xfe]/.exec(new TextDecoder("latin1").decode(first.subarray(0, 1000))) ?? [];
  const kind =
    "[{".includes(begin) && begin !== "" ? /json|Chrome|Pocket's API|Readeck/i : begin === "<" ? /HTML|XML/ : undefined;
  return kind ? formats.flatMap(({ name, title }) => (kind.test(title) ? [name] : [])).join(", ") : "";
}

/** Throws a FormatError for a file without a row, unless it is our own export of an empty list. */
export function refuseEmpty({ name, title }: Reading["format"]): void {
  if (name !== "json-lines")
    throw new FormatError(`contains no page, read as ${title}; export HTML or CSV from the service`);
}

/** A file of a list, which may be a property list. */
async function readList(
  source: AsyncIterable<Uint8Array>,
  options: Required<ReadingOptions>,
): Promise<Reading | undefined> {
  const chunks = inEvenChunks(source);
  const { value: first = new Uint8Array() } = await chunks.next();
  const bytes = resume([first], chunks);
  if (!beginsWith(first, "bplist")) return readText(bytes, options);
  const format = formats.find(({ name }) => name === "safari");
  return format && { format, rows: readBinaryPropertyList(bytes, options.withTexts), skippedFiles: [] };
}

/** Characters in which the first entry of a JSON file must end. */
const maxHeadLength = 4_000_000;

async function readText(
  bytes: AsyncIterable<Uint8Array>,
  options: Required<ReadingOptions>,
): Promise<Reading | undefined> {
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
    const all = ahead.join("");
    const beginning = all.trimStart();
    const isJson = /^[[{]/.test(beginning);
    const csv = /^[[{<]/.test(beginning) ? noHeader : readHeader(all);
    const head = { text: beginning, csv, json: isJson ? await findShape(beginning) : undefined, ...options };
    const format = formats.find(({ matches }) => matches(head));
    if (format) return { format, rows: format.read(resume(ahead, text), head), skippedFiles: [] };
    if (!isJson || beginning.length > maxHeadLength) return undefined;
  }
  return undefined;
}

const noHeader = { columns: [], delimiter: ",", lines: 0, preface: "" };

/** Folders of archives without a list: articles, notes, collections, and metadata that macOS adds. */
const otherFolders = /(^|\/)(content|container|highlights|annotations|collections|__MACOSX)\//;

/** A kept article in an archive of `readinglist export`; its name has the id of its item. */
export const isArticleFile = (name: string) => /^articles\/\d{1,16}\.html$/.test(name);

async function readZip(
  bytes: AsyncIterable<Uint8Array>,
  options: Required<ReadingOptions>,
): Promise<Reading | undefined> {
  const files: OtherFiles = { skipped: [], highlights: [] };
  const readings = findReadings(bytes, files, options);
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

/** Files of an archive that are not lists. */
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
  options: Required<ReadingOptions>,
): AsyncGenerator<{ file: string; reading: Reading }> {
  const isWanted = (name: string) => {
    const isList =
      /\.(csv|html?|jsonl?|txt|xml|opml|xbel|enex|plist|md|org)$/i.test(name) &&
      !otherFolders.test(name) &&
      !isArticleFile(name);
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
    const reading = await readList(chunks, options);
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
    yield { problem: `${error.message}; the rest of the file is ignored`, line };
  }
}
