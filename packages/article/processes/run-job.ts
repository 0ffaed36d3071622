import { decodePage } from "../document/charset.ts";
import { imageUrlsOf } from "../epub/image-urls.ts";
import { writeBook } from "../epub/write-book.ts";
import { viewPlainText } from "../view/plain-text.ts";
import { viewPageInModes } from "../view/text-view.ts";
import type { ExtractionJob, Job, PageViews, Results } from "./extraction-pool.ts";

/** Does a job in a worker process. */
export function runJob(job: Job): Promise<Results[Job["work"]]> | Results[Job["work"]] {
  if (job.work === "views") return extractViews(job);
  if (job.work === "imageUrls") return imageUrlsOf(job.chapters);
  return writeBook(job.chapters, job.images, job.now);
}

/** Decodes a fetched page and extracts its text views. */
async function extractViews({ body, kind, charset, url, modes, images }: ExtractionJob): Promise<PageViews> {
  const text = await decodePage(body, { charset, xml: kind === "xml" });
  if (kind !== "plain") return viewPageInModes(text, url, { modes, images });
  const view = viewPlainText(text);
  return Object.fromEntries(modes.map((mode) => [mode, view]));
}
