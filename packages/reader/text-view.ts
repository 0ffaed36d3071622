import { parsePage } from "./document.ts";
import type { DomDocument } from "./dom.ts";
import { extractArticle } from "./extract.ts";
import { resolveImages } from "./images.ts";
import { findLogin } from "./login.ts";
import { writeOutMath } from "./math.ts";
import { findNextPage } from "./next-page.ts";
import { pageStructure, withArticle } from "./page-structure.ts";
import { sanitize } from "./sanitize.ts";
import { findTitle } from "./title.ts";
import { removeHidden } from "./visibility.ts";

/** A page as the text view shows it, all but where it was found (spec section 4.7). */
export interface PageView {
  /** A clean HTML fragment; empty where no article was found. */
  html: string;
  /** Empty where the page has none. */
  title: string;
  /** An absolute http(s) URL of the same site. */
  nextUrl: string | undefined;
  loginFound: boolean;
}

export interface ViewOptions {
  mode: "less" | "more";
  images: boolean;
  /** Names of extraction rules to leave out, so that the gain of each can be measured. */
  without?: ReadonlySet<string> | undefined;
}

/**
 * The text view of a page's HTML, which stands at `url`. Pure and synchronous; on hostile markup it can take long and
 * much memory, so the service runs it where it can be ended (`extraction-pool.ts`).
 */
export function viewPage(html: string, url: string, options: ViewOptions): PageView {
  const document = readPage(html, url, options.images);
  const title = findTitle(document);
  const nextUrl = findNextPage(document);
  const loginFound = findLogin(document);
  removeHidden(document);
  const structure = options.mode === "more" ? pageStructure(document, options) : undefined;
  let unused: DomDocument | undefined = document;
  const freshDocument = () => {
    const fresh = unused ?? readPage(html, url, options.images);
    if (unused === undefined) removeHidden(fresh);
    unused = undefined;
    return fresh;
  };
  const article = extractArticle(freshDocument, { ...options, title });
  const clean = (markup: string) => sanitize(markup, { baseUrl: document.baseURI, images: options.images });
  const view = structure === undefined ? clean(article) : withArticle(clean(structure), clean(article));
  return {
    html: isWithinLimit(view) ? view : clean(upToLimit(view)),
    title,
    nextUrl,
    loginFound,
  };
}

/** Bytes; as much as is read of a page. */
const maxViewBytes = 5_000_000;

function isWithinLimit(html: string): boolean {
  return Buffer.byteLength(html) <= maxViewBytes;
}

/** The markup up to the end of the last element within the limit; what is open there is left to be closed. */
function upToLimit(html: string): string {
  const start = Buffer.from(html).subarray(0, maxViewBytes).toString();
  return start.slice(0, Math.max(0, start.lastIndexOf("</")));
}

function readPage(html: string, url: string, images: boolean): DomDocument {
  const document = parsePage(html, url);
  writeOutMath(document);
  if (images) resolveImages(document);
  return document;
}
