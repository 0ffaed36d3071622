import { decodePage } from "../document/charset.ts";
import { viewPlainText } from "../view/plain-text.ts";
import { type PageView, viewPage } from "../view/text-view.ts";
import type { ExtractionJob } from "./extraction-pool.ts";

/** Decodes a fetched page and extracts its text view. */
export async function runExtraction(job: ExtractionJob): Promise<PageView> {
  const text = await decodePage(job.body, { charset: job.charset, xml: job.kind === "xml" });
  if (job.kind === "plain") return viewPlainText(text);
  return viewPage(text, job.url, { mode: job.mode, images: job.images });
}
