import { decodePage } from "./charset.ts";
import type { ExtractionJob } from "./extraction-pool.ts";
import { viewPlainText } from "./plain-text.ts";
import { type PageView, viewPage } from "./text-view.ts";

/** From the bytes of a fetched page to its view. */
export async function runExtraction(job: ExtractionJob): Promise<PageView> {
  const text = await decodePage(job.body, { charset: job.charset, xml: job.kind === "xml" });
  if (job.kind === "plain") return viewPlainText(text);
  return viewPage(text, job.url, { mode: job.mode, images: job.images });
}
