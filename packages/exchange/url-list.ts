import type { Row } from "./entry.ts";
import { linesOf } from "./lines.ts";
import { rowOf } from "./row.ts";

/** Reads a URL on each line, which a title may follow. Empty lines and those that begin with `#` are skipped. */
export async function* readUrls(chunks: AsyncIterable<string>): AsyncGenerator<Row> {
  for await (const { text, number } of linesOf(chunks)) {
    const [, url, title = ""] = /^(\S+)\s*(.*)$/.exec(text.trim()) ?? [];
    if (url !== undefined && !url.startsWith("#")) yield rowOf({ url, title }, number);
  }
}
