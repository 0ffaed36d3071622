// SPDX-License-Identifier: MIT

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { escapeHtml } from "@reading-list/core/domain/escape.ts";
import type { ImportedText, TextOutcome } from "@reading-list/core/use-cases/articles/import-text.ts";
import { readTexts } from "@reading-list/exchange/texts.ts";
import type { ImportTarget } from "./import-targets.ts";
import { showNumber, showRejected } from "./report.ts";

export type TextCounts = Record<TextOutcome, number>;

/**
 * Saves the texts and pictures that a file contains for pages of the list. It reads the file again, because texts do
 * not fit into memory. It calls `note` with the outcome of each.
 */
export async function importTexts(
  file: string,
  importText: NonNullable<ImportTarget["importText"]>,
  signal: AbortSignal,
  note: (url: string, outcome: TextOutcome) => Promise<void>,
): Promise<TextCounts> {
  const counts: TextCounts = { kept: 0, existing: 0, full: 0, missing: 0, unreadable: 0 };
  for await (const { html, ...page } of readTexts(() => createReadStream(file))) {
    signal.throwIfAborted();
    const outcome = await importText({ ...page, ...takePicturesOut(html, page.url) });
    counts[outcome]++;
    await note(page.url, outcome);
  }
  return counts;
}

// bounded: a file of the person who runs the command
const embedded = /(<img\b[^>]*?\ssrc=)(["']?)data:image\/(?:png|jpe?g|gif|webp|avif);base64,([A-Za-z0-9+/=]+)\2/gi;

/** A page whose embedded pictures have addresses: the page's URL, each with its own fragment. */
function takePicturesOut(html: string, pageUrl: string): Pick<ImportedText, "html" | "pictures"> {
  const pictures = new Map<string, Uint8Array>();
  const replaced = html.replaceAll(embedded, (_, start: string, __, base64: string) => {
    const address = new URL(pageUrl);
    address.hash = `picture-${createHash("sha256").update(base64).digest("hex").slice(0, 16)}`;
    pictures.set(address.href, Buffer.from(base64, "base64"));
    return `${start}"${escapeHtml(address.href)}"`;
  });
  return { html: replaced, pictures };
}

const reasons = {
  full: "the quota of saved copies (ARTICLE_QUOTA_MB) is used up",
  missing: "their pages are not in the list",
  unreadable: "they contain no article",
};

/** Lines for the person who imports. */
export function showTexts(counts: TextCounts): string[] {
  return [
    `Texts: ${showNumber(counts.kept)} saved, ${showNumber(counts.existing)} existing.`,
    ...showRejected(counts, reasons, "text"),
  ];
}

export const isPartial = ({ full, missing, unreadable }: TextCounts) => full + missing + unreadable > 0;
