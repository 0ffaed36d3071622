import { type CsvError, type Info, parse } from "csv-parse/browser/esm";
import type { Row } from "./entry.ts";
import { type RawEntry, rowOf } from "./row.ts";

/** The fields of a record by the lower-case names of the columns. */
export type CsvRecord = Readonly<Record<string, string | undefined>>;

export interface CsvHeader {
  /** In lower case. */
  columns: readonly string[];
  delimiter: string;
}

const delimiters = [",", ";", "\t"];
/** Characters of one record. A longer one lacks the end of a quotation, or is no text. */
const longestRecord = 1_000_000;

/** The header of a text, if its first line is one. */
export function headerOf(text: string): CsvHeader {
  const [line = ""] = text.split(/\r?\n/, 1);
  const fields = (delimiter: string) => line.split(delimiter);
  const [delimiter = ","] = delimiters.toSorted((a, b) => fields(b).length - fields(a).length);
  return { columns: fields(delimiter).map((name) => name.replaceAll('"', "").trim().toLowerCase()), delimiter };
}

/** Reads CSV with a header. Nothing is read after a record of more than 1,000,000 characters. */
export async function* readCsv(
  chunks: AsyncIterable<string>,
  { columns, delimiter }: CsvHeader,
  entryOf: (record: CsvRecord) => RawEntry,
): AsyncGenerator<Row> {
  let records: { fields: string[]; line: number }[] = [];
  let lastLine = 1;
  let countedTwice = 0;
  let failure: CsvError | undefined;
  const parser = parse({
    delimiter,
    record_delimiter: ["\r\n", "\n"],
    info: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: longestRecord,
    skip_records_with_error: true,
  });
  parser.on("data", ({ record, info }: { record: string[]; info: Info }) => {
    const text = record.join();
    // csv-parse counts a CRLF within quotation marks as two lines.
    countedTwice += text.split("\r\n").length - 1;
    lastLine = info.lines - countedTwice;
    if (info.records > 1) records.push({ fields: record, line: lastLine - (text.split("\n").length - 1) });
  });
  parser.on("skip", (error: CsvError) => {
    failure ??= error;
  });
  const rowsOf = (some: typeof records) =>
    some.map(({ fields, line }) =>
      rowOf(entryOf(Object.fromEntries(columns.map((name, index) => [name, fields[index]]))), line),
    );

  let isEnded = true;
  for await (const chunk of chunks) {
    await new Promise((resolve) => parser.write(chunk, resolve));
    isEnded = chunk.endsWith("\n");
    // The last record waits: if the file ends there, it may be cut off.
    yield* rowsOf(records.slice(0, -1));
    records = records.slice(-1);
    if (failure) break;
  }
  await new Promise((resolve) => parser.end(resolve));
  const last = records.at(-1);
  const isCutOff = !failure && !isEnded && last !== undefined && last.fields.length < columns.length;
  yield* rowsOf(isCutOff ? records.slice(0, -1) : records);
  if (isCutOff) yield { problem: "the file ends within this line", line: last.line };
  if (failure) {
    const problem =
      failure.code === "CSV_MAX_RECORD_SIZE"
        ? "a quotation mark is missing: nothing is read from here on"
        : "the file ends within a quotation";
    yield { problem, line: lastLine + 1 };
  }
}
