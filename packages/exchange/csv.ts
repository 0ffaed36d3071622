// SPDX-License-Identifier: MIT

import type { Row } from "./entry.ts";
import { type Line, maxLineLength, refuseLongLine, splitLines } from "./lines.ts";

export interface CsvHeader {
  columns: readonly string[];
  delimiter: string;
}

const delimiters = [",", ";", "\t"];

/** The first line of a text as the header of CSV, with the delimiter that gives most columns. */
export function readHeader(text: string): CsvHeader {
  const line = text.slice(0, maxLineLength).split(/\r?\n/, 1)[0] ?? "";
  const headers = delimiters.map((delimiter): CsvHeader => {
    const record = startRecord(1);
    addLine(record, line, delimiter);
    return { columns: record.fields.map((name) => name.trim()), delimiter };
  });
  return headers.reduce((best, header) => (header.columns.length > best.columns.length ? header : best));
}

/**
 * Reads CSV with a header. The lines of a record whose closing quotation mark is missing are problems, and reading
 * continues at the next line that is a whole record; csv-parse cannot do that. The time is linear in the length.
 */
export async function* readCsv(
  chunks: AsyncIterable<string>,
  { columns, delimiter }: CsvHeader,
  toRows: (fields: readonly string[], line: number) => readonly Row[],
): AsyncGenerator<Row> {
  let isInHeader = true;
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
    if (line.text === "") continue;
    if (isInHeader) {
      isInHeader = false;
      continue;
    }
    const record = startRecord(line.number);
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
  for (let { line } = record; line < next.number; line++) yield { problem: "a quotation mark is missing", line };
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
