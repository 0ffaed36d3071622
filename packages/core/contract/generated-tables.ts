// SPDX-License-Identifier: MIT

/** A table in Markdown. */
export const writeTable = (columns: readonly string[], rows: readonly (readonly string[])[]): string =>
  [columns, columns.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");

/**
 * A page of the docs with tables between the comment of a subject and the next `end`. Throws if it lacks a place for tables.
 */
export function withTables(markdown: string, subject: string, tables: readonly string[]): string {
  const [begin, end] = [`<!-- ${subject}: npm run openapi -->`, "<!-- end -->"];
  const from = markdown.indexOf(begin);
  if (from === -1 && tables.length === 0) return markdown;
  if (from === -1) throw new Error(`the page lacks the comment ${begin}`);
  const to = markdown.indexOf(end, from);
  return `${markdown.slice(0, from)}${[begin, ...tables, end].join("\n\n")}${markdown.slice(to + end.length)}`;
}
