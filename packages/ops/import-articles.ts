// SPDX-License-Identifier: MIT

import { createReadStream } from "node:fs";
import type { CopyOutcome } from "@reading-list/core/use-cases/articles/copy-article.ts";
import { takeUpTo } from "@reading-list/exchange/chunks.ts";
import { isArticleFile } from "@reading-list/exchange/main.ts";
import { ArchiveError, readArchive } from "@reading-list/exchange/zip.ts";
import { readArticleFile } from "./article-file.ts";
import type { ImportTarget } from "./import-targets.ts";
import { showNumber, showRejected } from "./report.ts";

/** How many articles of an archive had each outcome; `damaged`: the file is not as an export writes it. */
export type ArticleCounts = Record<CopyOutcome | "damaged", number>;

/** Bytes of a file; a view has 5 MB at most. */
const maxFileBytes = 32_000_000;

/**
 * Restores the kept articles of an archive of `readinglist export` whose list was imported. Reads the file a second time,
 * because the articles do not fit into memory. It calls `note` with the outcome of each.
 */
export async function importArticles(
  file: string,
  importArticle: NonNullable<ImportTarget["importArticle"]>,
  signal: AbortSignal,
  note: (name: string, outcome: keyof ArticleCounts) => Promise<void>,
): Promise<ArticleCounts> {
  const counts: ArticleCounts = { copied: 0, existing: 0, full: 0, missing: 0, damaged: 0 };
  try {
    for await (const { name, chunks } of readArchive(createReadStream(file), isArticleFile)) {
      signal.throwIfAborted();
      const article = readArticleFile(await readText(chunks));
      const [itemId = ""] = /\d+/.exec(name) ?? [];
      const outcome = article ? await importArticle(itemId, article) : "damaged";
      counts[outcome]++;
      await note(name, outcome);
    }
  } catch (error) {
    // The import of the list has already reported faults of the archive.
    if (!(error instanceof ArchiveError)) throw error;
  }
  return counts;
}

/** The text of a file; a part of it if it is too large for an article. */
async function readText(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const { parts } = await takeUpTo(chunks, maxFileBytes);
  return Buffer.concat(parts).toString();
}

const reasons = {
  full: "the quota of saved copies (ARTICLE_QUOTA_MB) is used up",
  missing: "their pages are not in the list",
  damaged: "their files are damaged",
};

/** Lines for the person who imports. */
export function showArticles(counts: ArticleCounts): string[] {
  return [
    `Saved copies: ${showNumber(counts.copied)} restored, ${showNumber(counts.existing)} existing.`,
    ...showRejected(counts, reasons, "article"),
  ];
}

export const isPartial = ({ full, missing, damaged }: ArticleCounts) => full + missing + damaged > 0;
