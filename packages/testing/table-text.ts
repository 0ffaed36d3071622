// SPDX-License-Identifier: MIT

/** The results for one subject: a table whose columns are the names in its first row. */
export interface Subject {
  title: string;
  /** Printed above the table: conditions and units. */
  notes: string[];
  rows: Record<string, string | number>[];
}

/** A number with three significant digits; an integer from 100. */
export function rounded(value: number): number {
  return value >= 100 ? Math.round(value) : Number(value.toPrecision(3));
}

/** A subject as plain text in columns: text aligned left, numbers right. */
export function tableOf({ title, notes, rows }: Subject): string {
  const columns = Object.keys(rows[0] ?? {}).map((name) => {
    const cells = rows.map((row) => row[name] ?? "");
    const width = Math.max(name.length, ...cells.map((cell) => String(cell).length));
    const isNumeric = cells.some((cell) => typeof cell === "number" || /^\d+\.\d+$/.test(cell));
    const pad = (cell: string | number) => (isNumeric ? String(cell).padStart(width) : String(cell).padEnd(width));
    return { heading: pad(name), rule: "-".repeat(width), cells: cells.map(pad) };
  });
  const lines = [
    columns.map(({ heading }) => heading),
    columns.map(({ rule }) => rule),
    ...rows.map((_, row) => columns.map(({ cells }) => cells[row] ?? "")),
  ].map((cells) => cells.join("  ").trimEnd());
  return [title, ...notes.map((note) => `  ${note}`), "", ...lines, ""].join("\n");
}
