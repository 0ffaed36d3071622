// SPDX-License-Identifier: MIT

import { type ExportedItem, joinPageNotes } from "./exported-item.ts";

const quoteCell = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
const row = (cells: readonly (string | number)[]) => `${cells.map((value) => quoteCell(String(value))).join(",")}\n`;
const formatTime = (seconds: number) => new Date(seconds * 1000).toISOString().replace(".000", "");

/**
 * A text that no spreadsheet interprets as a formula: an apostrophe is put before it, even if it already begins with
 * one.
 */
const withoutFormula = (text: string) => text.replace(/^(?='*[=+\-@\t\r])/, "'");

/** The text before `withoutFormula`. */
export const originalText = (text: string): string => text.replace(/^'(?='*[=+\-@\t\r])/, "");

/** Writes CSV for spreadsheets: times in ISO 8601, tags separated by commas. */
export async function* writeCsv(items: AsyncIterable<ExportedItem>): AsyncGenerator<string> {
  yield row(["url", "title", "tags", "state", "time_added", "time_updated", "note"]);
  for await (const item of items) {
    const { url, title, tags, state, timeAdded, timeUpdated } = item;
    const texts = [title, tags.join(",")].map(withoutFormula);
    const times = [timeAdded, timeUpdated].map(formatTime);
    yield row([url, ...texts, state, ...times, withoutFormula(joinPageNotes(item))]);
  }
}

/**
 * Writes highlights as CSV that Readwise imports. Readwise accepts neither colours nor rows without a quotation, so a
 * note on the page replaces the quotation.
 */
export async function* writeReadwise(items: AsyncIterable<ExportedItem>): AsyncGenerator<string> {
  yield row(["Highlight", "Title", "Author", "URL", "Note", "Location", "Date"]);
  for await (const { url, title, highlights = [] } of items) {
    for (const { quote, note, position = "", timeCreated } of highlights) {
      const date = formatTime(timeCreated).replace("T", " ").replace("Z", "+00:00");
      const texts = quote === "" ? [note, title, "", url, ""] : [quote, title, "", url, note];
      yield row([...texts, position, date]);
    }
  }
}

/** Writes the CSV of Pocket's export, which other reading lists import. */
export async function* writePocketCsv(items: AsyncIterable<ExportedItem>): AsyncGenerator<string> {
  yield row(["title", "url", "time_added", "tags", "status"]);
  for await (const { url, title, tags, state, timeAdded } of items) {
    yield row([title, url, timeAdded, tags.join("|"), state === "read" ? "archive" : "unread"]);
  }
}
