import { extractArticle } from "../article/extract.ts";
import { cleanHeadings } from "../document/headings.ts";
import { resolveImages } from "../document/images.ts";
import { languageOf, withLanguage } from "../document/language.ts";
import { findLeadImage, leadImageFor } from "../document/lead-image.ts";
import { writeOutMath } from "../document/math.ts";
import { Page } from "../document/page.ts";
import { placeStreamedParts } from "../document/streamed-parts.ts";
import { removeHidden } from "../document/visibility.ts";
import { findLogin } from "../signals/login.ts";
import { findNextPage } from "../signals/next-page.ts";
import { findTitle } from "../signals/title.ts";
import { pageStructure, withArticle } from "./page-structure.ts";
import { sanitize } from "./sanitize.ts";

/** The text view of a page, without its URL. */
export interface PageView {
  /** A clean HTML fragment; empty if no article was found. */
  html: string;
  /** Empty if the page has none. */
  title: string;
  /** An absolute http(s) URL of the same site. */
  nextUrl: string | undefined;
  loginFound: boolean;
}

export interface ViewOptions {
  mode: "less" | "more";
  images: boolean;
  /** Names of extraction rules to skip, to measure the gain of each. */
  without?: ReadonlySet<string> | undefined;
}

/**
 * The text view of the HTML of the page at `url`. Pure and synchronous. Hostile markup can make it slow and use much
 * memory, so the service runs it in a worker that it can terminate (`extraction-pool.ts`).
 */
export function viewPage(html: string, url: string, options: ViewOptions): PageView {
  const page = readPage(html, url, options);
  const title = findTitle(page);
  const nextUrl = findNextPage(page);
  const loginFound = findLogin(page);
  const { document } = page;
  const candidate = options.images ? findLeadImage(page) : undefined;
  const language = languageOf(document);
  removeHidden(document);
  const structure = options.mode === "more" ? pageStructure(document, options) : undefined;
  const readAgain = () => {
    const { document: copy } = readPage(html, url, options);
    removeHidden(copy);
    return copy;
  };
  const article = extractArticle(page, readAgain, { ...options, title });
  const clean = (markup: string) => sanitize(markup, { baseUrl: document.baseURI, images: options.images });
  const lead = options.images && article !== "" ? leadImageFor(article, candidate) : "";
  const cleanArticle = clean(lead + article);
  const view = structure === undefined ? cleanArticle : withArticle(clean(structure), cleanArticle);
  return {
    html: withLanguage(isWithinLimit(view) ? view : clean(upToLimit(view)), language),
    title,
    nextUrl,
    loginFound,
  };
}

/** Bytes; equal to the maximum size of a fetched page. */
const maxViewBytes = 5_000_000;

function isWithinLimit(html: string): boolean {
  return Buffer.byteLength(html) <= maxViewBytes;
}

/** The markup up to the last end tag within the limit. The sanitiser closes the elements that are open there. */
function upToLimit(html: string): string {
  const start = Buffer.from(html).subarray(0, maxViewBytes).toString();
  return start.slice(0, Math.max(0, start.lastIndexOf("</")));
}

function readPage(html: string, url: string, { images }: ViewOptions): Page {
  const page = new Page(html, url);
  placeStreamedParts(page.document);
  cleanHeadings(page);
  writeOutMath(page.document);
  if (images) resolveImages(page.document);
  return page;
}
