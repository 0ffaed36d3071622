// SPDX-License-Identifier: MIT

import { parseWebUrl } from "@reading-list/core/domain/page-fields.ts";
import { isOneUrl } from "./csv.ts";
import type { Row } from "./entry.ts";
import { refuseLongLine, splitLines } from "./lines.ts";
import { toRow } from "./row.ts";

const separated = "a separator follows the URL; name the columns in the first line, such as `url,title`";

/** Reads a URL on each line, which a title may follow. Empty lines and lines that begin with `#` are skipped. */
export async function* readUrls(chunks: AsyncIterable<string>): AsyncGenerator<Row> {
  for await (const { text, number, isTooLong } of splitLines(chunks)) {
    if (isTooLong) yield refuseLongLine(number);
    // OneTab separates URL and title by a vertical bar.
    // bounded: a file of the person who imports it, in that person's browser or command
    const [, url, title = ""] = /^(\S+)\s*(?:\| )?(.*)$/.exec(text.trim()) ?? [];
    if (url === undefined || url.startsWith("#")) continue;
    yield isOneUrl(url)
      ? toRow({ url, title }, number)
      : { problem: parseWebUrl(url) ? separated : "not an http(s) URL", line: number };
  }
}
