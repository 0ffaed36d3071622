// SPDX-License-Identifier: MIT

import { toPageKey } from "@reading-list/client/change.ts";
import type { LocalItem } from "@reading-list/client/main.ts";
import { readHighlightedPage } from "@reading-list/core/domain/placed-highlights.ts";
import { type ExportedHighlight, type ExportedItem, inOrderOfText } from "@reading-list/exchange/exported-item.ts";
import { writeMarkdown } from "@reading-list/exchange/write-markdown.ts";
import { writers } from "@reading-list/exchange/writers.ts";
import type { Mark } from "../../data/marks.ts";
import type { ExportFormat } from "../../kit/later-texts.ts";
import { saveFile } from "../../kit/save-file.ts";

const files = {
  jsonl: { name: "reading-list.jsonl", type: "application/jsonl" },
  html: { name: "reading-list.html", type: "text/html" },
  csv: { name: "reading-list.csv", type: "text/csv" },
  pocket: { name: "reading-list-pocket.csv", type: "text/csv" },
  markdown: { name: "reading-list-marks.zip", type: "application/zip" },
  readwise: { name: "reading-list-marks.csv", type: "text/csv" },
  kindle: { name: "My Clippings.txt", type: "text/plain" },
} satisfies Record<ExportFormat, object>;

/**
 * Downloads a list and its marks, with the changes that are not sent yet, as a file. `textOf`: the article of a page, if
 * this device has it.
 */
export async function downloadExport(
  format: ExportFormat,
  items: readonly LocalItem[],
  marks: readonly Mark[],
  textOf: (url: string) => Promise<string | undefined>,
): Promise<void> {
  const write = format === "markdown" ? writeMarkdown : writers[format];
  const parts: BlobPart[] = [];
  for await (const part of write(exportedItems(items, marks, textOf))) parts.push(part as BlobPart);
  const { name, type } = files[format];
  saveFile(name, new Blob(parts, { type }));
}

/** The oldest change first, as the writers take them. */
async function* exportedItems(
  items: readonly LocalItem[],
  marks: readonly Mark[],
  textOf: (url: string) => Promise<string | undefined>,
): AsyncGenerator<ExportedItem> {
  const marksOf = Map.groupBy(marks, ({ url }) => toPageKey(url));
  for (const { timeAdded, timeUpdated, progress, ...item } of items.toReversed()) {
    const { itemId, url, title, tags, state } = item;
    const times = { timeAdded: toSeconds(timeAdded), timeUpdated: toSeconds(timeUpdated) };
    const place = progress && { progress: { ...progress, time: times.timeUpdated } };
    const own = marksOf.get(toPageKey(url)) ?? [];
    const html = own.length > 0 ? await textOf(url) : undefined;
    // An older version has stored quotations of several blocks without separators.
    const separated = html ? (await readHighlightedPage(html, own)).placed.map(({ highlight }) => highlight) : own;
    const highlights = inOrderOfText(separated.map(exportedHighlight));
    yield { itemId, url, title, tags, state, ...times, ...place, highlights };
  }
}

function exportedHighlight(mark: Mark): ExportedHighlight {
  const { id, quote, prefix, suffix, position, color, note } = mark;
  const timeCreated = toSeconds(mark.timeCreated);
  const timeUpdated = mark.timeUpdated ? toSeconds(mark.timeUpdated) : timeCreated;
  return { id, quote, prefix, suffix, position, color, note, timeCreated, timeUpdated };
}

const toSeconds = (date: Date) => Math.floor(date.getTime() / 1000);
