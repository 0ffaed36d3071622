// SPDX-License-Identifier: MIT

import { decodePage } from "../document/charset.ts";
import { parsePage } from "../document/parse-page.ts";
import { findImageUrls } from "../epub/image-urls.ts";
import { writeBook } from "../epub/write-book.ts";
import { isFeed, parseFeed, viewFeed } from "../kinds/feed.ts";
import { viewImage } from "../kinds/image.ts";
import { viewJson } from "../kinds/json.ts";
import { viewMarkdown } from "../kinds/markdown.ts";
import { viewPdf } from "../kinds/pdf.ts";
import { findData, findTarget } from "../signals/page-target.ts";
import { viewPlainText } from "../view/plain-text.ts";
import { type PageView, viewPageInModes } from "../view/text-view.ts";
import type { Extraction, ExtractionJob, Job, Results } from "./extraction-pool.ts";

/** Does a job in a worker process. Throws FetchError if its page cannot be decoded. */
export function runJob(job: Job): Promise<Results[Job["work"]]> | Results[Job["work"]] {
  if (job.work === "views") return extract(job);
  if (job.work === "imageUrls") return findImageUrls(job.chapters);
  if (job.work === "book") return writeBook(job.chapters, job.images, job);
  throw new Error(`this worker has no job named ${job.work}`);
}

/** Decodes a fetched page and extracts its text views. */
async function extract(job: ExtractionJob): Promise<Extraction> {
  const { body, kind, charset, url, modes, images } = job;
  const sameInModes = (view: PageView): Extraction => ({
    views: Object.fromEntries(modes.map((mode) => [mode, view])),
  });
  if (kind === "image") return sameInModes(viewImage(url, { images }));
  if (kind === "pdf") return sameInModes(await viewPdf(body, url));
  const text = await decodePage(body, { charset, xml: kind === "xml" });
  if (kind === "json") return sameInModes(viewJson(text, url, { images }));
  if (kind === "markdown") return sameInModes(viewMarkdown(text, url, { images }));
  // Servers send feeds as each of the other types.
  if (isFeed(text)) return sameInModes(viewFeed(parseFeed(text), url, { images }));
  if (kind === "plain") return sameInModes(viewPlainText(text));
  return extractPage(text, job);
}

function extractPage(text: string, { url, modes, images }: ExtractionJob): Extraction {
  const source = parsePage(text);
  const target = findTarget(source, url);
  const views = viewPageInModes(source, url, { modes, images });
  const hasText = Object.values(views).every(({ html }) => html.replace(/<[^<>]*>|\s/g, "").length >= minLetters);
  return { views, target, data: hasText ? undefined : findData(source, url) };
}

/** Letters of a view, below which the page may need its scripts. */
const minLetters = 250;
