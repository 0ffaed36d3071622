// SPDX-License-Identifier: MIT

import type { LocalItem } from "@reading-list/client/main.ts";
import type { Session } from "../../data/session.ts";
import { explainFailure } from "../../kit/explain-failure.ts";
import { laterTexts } from "../../kit/later-texts.ts";
import type { Notices } from "../../kit/notices.tsx";
import { fileNameOf, saveFile } from "../../kit/save-file.ts";
import { say } from "../../kit/texts.ts";

const text = laterTexts.article;
/** Pages of a book (docs/api.md 4.9). */
const maxPages = 50;

/** Saves a book of pages of the list. */
export async function downloadBook({ texts }: Session, items: readonly LocalItem[], notices: Notices): Promise<void> {
  if (items.length > maxPages) return notices.show(say(text.bookTooLong, { number: maxPages }));
  notices.show(text.makingBook);
  try {
    const book = await texts.book(items.map(({ url }) => url));
    saveFile(fileNameOf(items[0]?.title ?? "", "epub"), book);
  } catch (error) {
    notices.show(explainFailure(error));
  }
}
