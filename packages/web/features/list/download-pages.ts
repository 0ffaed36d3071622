// SPDX-License-Identifier: MIT

import type { LocalItem } from "@reading-list/client/main.ts";
import { toFileName } from "@reading-list/core/domain/page-fields.ts";
import type { Session } from "../../data/session.ts";
import { explainFailure } from "../../kit/explain-failure.ts";
import { laterTexts } from "../../kit/later-texts.ts";
import type { Notices } from "../../kit/notices.tsx";
import { saveFile } from "../../kit/save-file.ts";
import { say } from "../../kit/texts.ts";

const text = laterTexts.article;
/** Pages of a book (docs/api.md 4.9). */
const maxPages = 50;

/** Saves the articles of pages of the list as one file. */
export async function downloadPages(
  format: "epub" | "markdown",
  { texts }: Session,
  items: readonly LocalItem[],
  notices: Notices,
): Promise<void> {
  if (items.length > maxPages) return notices.show(say(text.bookTooLong, { number: maxPages }));
  notices.show(text.makingBook);
  try {
    const urls = items.map(({ url }) => url);
    const content = format === "epub" ? await texts.book(urls) : await joinMarkdown(texts, items);
    saveFile(`${toFileName(items[0]?.title ?? "")}.${format === "epub" ? "epub" : "md"}`, content);
  } catch (error) {
    notices.show(explainFailure(error));
  }
}

async function joinMarkdown(texts: Session["texts"], items: readonly LocalItem[]): Promise<Blob> {
  const { articleAsMarkdown } = await import("../../kit/write-article.ts");
  const parts: string[] = [];
  for (const { url, title } of items) parts.push(await articleAsMarkdown(title, url, [await texts.readKept(url)]));
  return new Blob([parts.join("\n")], { type: "text/markdown" });
}
