import { decodePage } from "../document/charset.ts";
import { viewPlainText } from "../view/plain-text.ts";
import { viewPageInModes } from "../view/text-view.ts";
import type { ExtractionJob, PageViews } from "./extraction-pool.ts";

/** Decodes a fetched page and extracts its text views. */
export async function runExtraction({ body, kind, charset, url, modes, images }: ExtractionJob): Promise<PageViews> {
  const text = await decodePage(body, { charset, xml: kind === "xml" });
  if (kind !== "plain") return viewPageInModes(text, url, { modes, images });
  const view = viewPlainText(text);
  return Object.fromEntries(modes.map((mode) => [mode, view]));
}
