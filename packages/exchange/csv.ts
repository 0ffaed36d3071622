// SPDX-License-Identifier: MIT

import { parseWebUrl } from "@reading-list/core/domain/page-fields.ts";
import type { Row } from "./entry.ts";
import { hasUrlName, isKnownName } from "./fields.ts";
import { type Line, maxLineLength, refuseLongLine, splitLines } from "./lines.ts";
import { parseTime } from "./row.ts";

/** The names of the columns of a CSV file. */
export interface CsvHeader {
  columns: readonly string[];
  delimiter: string;
  /** Lines before the first record. */
  lines: number;
  /** Text above the names of the columns. */
  preface: string;
}

const delimiters = [",", ";", "\t"];
/** Lines in which the names of the columns are looked for, and from which columns without names are known. */
const linesOfHead = 20;

/**
 * The names of the columns, which may follow `sep=;` and lines of text. In a file without names, or without a known
 * name for the address, the cells of the first lines decide what a column contains. Otherwise the first line has the
 * names.
 */
export function readHeader(text: string): CsvHeader {
  const head = text.slice(0, maxLineLength).split(/\r?\n/, linesOfHead);
  const firstLine = Math.max(
    0,
    head.findIndex((line) => line.trim() !== ""),
  );
  const separator = /^"?sep=(.)"?$/i.exec(head[firstLine] ?? "")?.[1];
  const begin = firstLine + (separator === undefined ? 0 : 1);
  for (const [index, line] of head.entries()) {
    const { columns, delimiter } = splitBest(line, separator);
    if (index < begin || columns.some(isUrl)) continue;
    if (!hasUrlName(columns) || (index > begin && columns.length === 1)) continue;
    const preface = head.slice(begin, index);
    if (preface.some((above) => splitBest(above, separator).columns.some(isUrl))) break;
    return { columns, delimiter, lines: index + 1, preface: preface.join("\n").trim() };
  }
  const first = splitBest(head[begin] ?? "", separator);
  const names = nameColumns(head.slice(begin), first.delimiter);
  if (names) return { columns: names, delimiter: first.delimiter, lines: begin, preface: "" };
  const shaped = hasUrlName(first.columns) ? undefined : nameColumns(head.slice(begin + 1), first.delimiter);
  const isSame = shaped?.length === first.columns.length && !first.columns.some(isUrl);
  const columns = isSame
    ? first.columns.map((name, i) => (isKnownName(name) ? name : shaped[i] || name))
    : first.columns;
  return { columns, delimiter: first.delimiter, lines: begin + 1, preface: "" };
}

/** The cells of a line, separated by the delimiter that gives most; a single one is all of the line. */
function splitBest(line: string, separator?: string): Pick<CsvHeader, "columns" | "delimiter"> {
  const found = (separator === undefined ? delimiters : [separator]).map((delimiter) => ({
    columns: splitCells(line, delimiter),
    delimiter,
  }));
  const best = found.reduce((most, each) => (each.columns.length > most.columns.length ? each : most));
  // The delimiter of a single column may be part of an address.
  return best.columns.length === 1 && separator === undefined ? { ...best, delimiter: "\n" } : best;
}

function splitCells(line: string, delimiter: string): string[] {
  const record = startRecord(1);
  addLine(record, line, delimiter);
  return record.fields.map((cell) => cell.trim());
}

/** Whether a cell is an address and nothing else. */
const isUrl = (cell: string) => /^\S+$/.test(cell) && parseWebUrl(cell) !== undefined;

/** Names for the columns of lines without a header; undefined unless each line has an address in the same column. */
function nameColumns(lines: readonly string[], delimiter: string): string[] | undefined {
  // The last line may be cut off.
  const complete = lines.length === linesOfHead ? lines.slice(0, -1) : lines;
  const given = complete.filter((line) => line.trim() !== "");
  const records = given.map((line) => splitCells(line, delimiter));
  const width = records[0]?.length ?? 0;
  if (width < 2 || records.some(({ length }) => length !== width) || given.every(isOneUrl)) return undefined;
  const isEach = (column: number, meets: (cell: string) => boolean) => {
    const cells = records.map((record) => record[column] ?? "").filter((cell) => cell !== "");
    return cells.length > 0 && cells.every(meets);
  };
  const named = new Set<string>();
  const names = Array.from({ length: width }, (_, column) => {
    const [name = ""] = Object.entries(shapes).find(([name, meets]) => !named.has(name) && isEach(column, meets)) ?? [];
    named.add(name);
    return name;
  });
  return named.has("url") && records.every((record) => isUrl(record[names.indexOf("url")] ?? "")) ? names : undefined;
}

/** The meaning of the cells of a column, by its name. */
const shapes: Readonly<Record<string, (cell: string) => boolean>> = {
  url: isUrl,
  state: (cell) => /^(un)?read$|^archived?$/i.test(cell),
  // A small number is not a time.
  time_added: (cell) => !/^\d{1,8}$/.test(cell) && parseTime(cell) !== undefined,
  title: (cell) => !/^[\d.]+$/.test(cell) && !isUrl(cell),
};

/**
 * Whether a line is one address, though it has a separator: `https://example.com/article,123.html`, but not
 * `https://example.com/,Title`.
 */
export function isOneUrl(line: string): boolean {
  const url = line.trim();
  if (!isUrl(url)) return false;
  const at = url.search(/[,;|]/);
  if (at < 0) return true;
  const rest = url.slice(at + 1);
  return !/["']|:\/\/|[,;|]$/.test(rest) && parseTime(rest) === undefined && /[./=&?%@\d]/.test(rest);
}

/**
 * Reads CSV with a header. The lines of a record whose closing quotation mark is missing are problems, and reading
 * continues at the next line that is a whole record; csv-parse cannot do that. The time is linear in the length.
 */
export async function* readCsv(
  chunks: AsyncIterable<string>,
  { columns, delimiter, lines }: CsvHeader,
  toRows: (fields: readonly string[], line: number) => readonly Row[],
): AsyncGenerator<Row> {
  /** The record with a quotation that continues in the next line. */
  let open: CsvRecord | undefined;
  for await (const line of splitLines(chunks)) {
    if (line.isTooLong) {
      if (open) yield* withoutEnd(open, line);
      open = undefined;
      yield refuseLongLine(line.number);
      continue;
    }
    if (open) {
      const state = addLine(open, line.text, delimiter);
      if (state === "complete") {
        yield* toRows(open.fields, open.line);
        open = undefined;
        continue;
      }
      if (state === "open" && open.length <= maxLineLength && !isRecord(line)) {
        open.quoted += line.lineBreak;
        continue;
      }
      yield* withoutEnd(open, line);
      open = undefined;
    }
    if (line.text === "" || line.number <= lines) continue;
    const record = startRecord(line.number);
    if (/^[\s,;]*$/.test(line.text)) continue;
    if (addLine(record, line.text, delimiter) === "open") {
      record.quoted += line.lineBreak;
      open = record;
    } else if (line.lineBreak === "" && record.fields.length < columns.length) {
      yield { problem: "the file ends within this line", line: line.number };
    } else {
      yield* toRows(record.fields, line.number);
    }
  }
  if (open) yield { problem: "the file ends within a quotation", line: open.line };

  /** Whether a line within a quotation is a whole record, so that the closing quotation mark must be missing. */
  function isRecord({ text, number }: Line): boolean {
    const record = startRecord(number);
    return (
      addLine(record, text, delimiter) === "complete" &&
      record.fields.length === columns.length &&
      toRows(record.fields, number).every((row) => !("problem" in row))
    );
  }
}

/** The lines of a record whose closing quotation mark is missing. */
function* withoutEnd(record: CsvRecord, next: Line): Generator<Row> {
  for (let { line } = record; line < next.number; line++)
    yield { problem: "a closing quotation mark is missing", line };
}

interface CsvRecord {
  fields: string[];
  /** The beginning of a field whose quotation continues in the next line. */
  quoted: string | undefined;
  /** Characters of all lines. */
  length: number;
  /** The line on which the record begins. */
  line: number;
}

const startRecord = (line: number): CsvRecord => ({ fields: [], quoted: undefined, length: 0, line });

/**
 * Adds the fields of a line to a record. `open`: a quotation continues in the next line. `broken`: a field with
 * quotation marks begins within an open quotation, so that the closing mark of that is missing. Quotation marks that
 * do not enclose a field, such as in `"5" disk`, are text.
 */
function addLine(record: CsvRecord, line: string, delimiter: string): "complete" | "open" | "broken" {
  let { quoted } = record;
  let at = 0;
  /** Where the quotation begins; undefined if it began on an earlier line. */
  let begin: number | undefined;
  let hasInnerMark = false;
  /** Fields that begin before this position are read without quotations. */
  let plainUntil = 0;
  record.length += line.length;
  for (;;) {
    if (quoted === undefined) {
      if (line[at] !== '"' || at < plainUntil) {
        const end = line.indexOf(delimiter, at);
        record.fields.push(line.slice(at, end < 0 ? undefined : end));
        if (end < 0) return "complete";
        at = end + 1;
        continue;
      }
      begin = at++;
      hasInnerMark = false;
      quoted = "";
    }
    const mark = line.indexOf('"', at);
    if (mark < 0) {
      if (begin === undefined || !hasInnerMark) {
        record.quoted = quoted + line.slice(at);
        return "open";
      }
      plainUntil = line.length;
      at = begin;
      quoted = undefined;
      continue;
    }
    const next = line[mark + 1];
    const beginsField = mark === 0 || line[mark - 1] === delimiter;
    if (next === '"') {
      quoted += line.slice(at, mark + 1);
      at = mark + 2;
    } else if (next === undefined || next === delimiter) {
      record.fields.push(quoted + line.slice(at, mark));
      record.quoted = undefined;
      quoted = undefined;
      if (next === undefined) return "complete";
      at = mark + 2;
    } else if (beginsField && begin === undefined) {
      return "broken";
    } else if (beginsField && begin !== undefined && hasInnerMark) {
      plainUntil = mark;
      at = begin;
      quoted = undefined;
    } else {
      quoted += line.slice(at, mark + 1);
      at = mark + 1;
      hasInnerMark = true;
    }
  }
}
