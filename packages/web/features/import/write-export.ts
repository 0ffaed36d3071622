// SPDX-License-Identifier: MIT

import type { LocalItem } from "@reading-list/client/main.ts";
import type { ExportedItem } from "@reading-list/exchange/exported-item.ts";
import { writers } from "@reading-list/exchange/writers.ts";

import type { ExportFormat } from "../../kit/english-later.ts";

const files = {
  jsonl: { name: "reading-list.jsonl", type: "application/jsonl" },
  html: { name: "reading-list.html", type: "text/html" },
  csv: { name: "reading-list.csv", type: "text/csv" },
  pocket: { name: "reading-list-pocket.csv", type: "text/csv" },
} satisfies Record<ExportFormat, object>;

/** Downloads a list, with the changes that are not sent yet, as a file. */
export async function downloadExport(format: ExportFormat, items: readonly LocalItem[]): Promise<void> {
  const parts: string[] = [];
  for await (const part of writers[format](exportedItems(items))) parts.push(part);
  const { name, type } = files[format];
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(parts, { type }));
  link.download = name;
  link.click();
  // After the browser has taken the file.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** The oldest change first, as the writers take them. */
async function* exportedItems(items: readonly LocalItem[]): AsyncGenerator<ExportedItem> {
  for (const { timeAdded, timeUpdated, progress, ...item } of items.toReversed()) {
    const { itemId, url, title, tags, state } = item;
    const times = { timeAdded: secondsOf(timeAdded), timeUpdated: secondsOf(timeUpdated) };
    const place = progress && { progress: { ...progress, time: times.timeUpdated } };
    yield { itemId, url, title, tags, state, ...times, ...place };
  }
}

const secondsOf = (date: Date) => Math.floor(date.getTime() / 1000);
