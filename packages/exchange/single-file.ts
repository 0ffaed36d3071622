// SPDX-License-Identifier: MIT

import { decodeText } from "@reading-list/core/domain/escape.ts";
import { takeUpTo } from "./chunks.ts";
import type { Row } from "./entry.ts";
import type { Head } from "./head.ts";
import { toRow } from "./row.ts";

/** Characters of a page with its pictures. */
const maxLength = 64_000_000;

/** The comment at the beginning of a page that the extension SingleFile has saved. */
// bounded: a file of the person who imports it, in that person's browser or command
const comment = /<!--\s+Page saved with SingleFile\s+url: (\S+)\s+saved date: ([^\n(]*)/;

/** Whether a file begins as such a page does. */
export const isSingleFile = (text: string): boolean => text.startsWith("<") && comment.test(text.slice(0, 10_000));

/** Reads the page; its text is all of the file. */
export async function* readSingleFile(chunks: AsyncIterable<string>, { withTexts }: Head): AsyncGenerator<Row> {
  const { parts, isWhole } = await takeUpTo(chunks, maxLength);
  const text = parts.join("");
  const [, url, saved = ""] = comment.exec(text.slice(0, 10_000)) ?? [];
  const [, title = ""] = /<title>([^<]*)/i.exec(text) ?? [];
  const seconds = Math.floor(Date.parse(saved.trim()) / 1000);
  const row = toRow(
    {
      url,
      title: decodeText(title).trim(),
      timeAdded: seconds || undefined,
    },
    1,
  );
  yield withTexts && isWhole && !("problem" in row) ? { ...row, text } : row;
}
