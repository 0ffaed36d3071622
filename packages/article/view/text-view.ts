// SPDX-License-Identifier: MIT

import { extractArticle } from "../article/extract.ts";
import { allRules, type Rules } from "../article/rules.ts";
import { linkWithin, markAnchors } from "../document/anchors.ts";
import { writeOutAttachments } from "../document/attachments.ts";
import { markCallouts } from "../document/callouts.ts";
import { writeOutCards } from "../document/card-elements.ts";
import { writeOutCodeLines } from "../document/code-lines.ts";
import { joinListings } from "../document/code-listings.ts";
import { limitMarks } from "../document/combining-marks.ts";
import { declaredText } from "../document/declared-text.ts";
import { visibleText } from "../document/dom.ts";
import { placeDrawings, withDrawings } from "../document/drawings.ts";
import { linkEmbeds } from "../document/embeds.ts";
import { cleanHeadings } from "../document/headings.ts";
import { resolveImages, writeOutIcons } from "../document/images.ts";
import { findLanguage, keepDirections, withLanguage } from "../document/language.ts";
import { findLeadImage, withLeadImage } from "../document/lead-image.ts";
import { placeMarginNotes } from "../document/margin-notes.ts";
import { writeOutMath } from "../document/math.ts";
import { findNotes, linkNotes, withNotes } from "../document/notes.ts";
import { decodeEmails } from "../document/obscured-emails.ts";
import { Page } from "../document/page.ts";
import { writeParagraphs } from "../document/paragraphs.ts";
import { type PageSource, parsePage } from "../document/parse-page.ts";
import { writeOutSentences } from "../document/sentences.ts";
import { serializeChildren } from "../document/serialize.ts";
import { storedText } from "../document/stored-text.ts";
import { placeStreamedParts } from "../document/streamed-parts.ts";
import { removeHidden } from "../document/visibility.ts";
import { findLogin } from "../signals/login.ts";
import { findNextPage } from "../signals/next-page.ts";
import { findPublication, type Publication } from "../signals/publication.ts";
import { findTitle } from "../signals/title.ts";
import { findVideo, withVideo } from "../signals/video.ts";
import { withArticle } from "./page-structure.ts";
import { sanitize } from "./sanitize.ts";

/** The text view of a page, without its URL. */
export interface PageView extends Partial<Publication> {
  /** A clean HTML fragment; empty if no article was found. */
  html: string;
  /** Empty if the page has none. */
  title: string;
  /** An absolute http(s) URL of the same site. */
  nextUrl: string | undefined;
  loginFound: boolean;
  /** A sentence in printable ASCII that explains to the reader why text is missing. */
  notice?: string | undefined;
}

export type Mode = "less" | "more";

export interface ViewOptions {
  mode: Mode;
  images: boolean;
}

export interface ModesOptions<M extends Mode = Mode> {
  modes: readonly M[];
  images: boolean;
}

/** The text view of the HTML of the page at `url`: see `viewPageInModes`. */
export const viewPage = (html: string, url: string, { mode, images }: ViewOptions, rules?: Rules): PageView =>
  viewPageInModes(html, url, { modes: [mode], images }, rules)[mode];

/**
 * The text views of the HTML of the page at `url`, of one extraction. Pure and synchronous. Hostile markup can make it
 * slow and use much memory, so the service runs it in a worker that it can terminate (`extraction-pool.ts`).
 */
export function viewPageInModes<M extends Mode>(
  html: string | PageSource,
  url: string,
  options: ModesOptions<M>,
  rules: Rules = allRules,
): Record<M, PageView> {
  const source = typeof html === "string" ? parsePage(html) : html;
  const page = new Page(source, url);
  prepare(page, options);
  const title = findTitle(page);
  const nextUrl = findNextPage(page);
  const loginFound = findLogin(page);
  const publication = findPublication(page, title);
  const video = findVideo(page, source);
  const { document } = page;
  const description =
    ["og:description", "twitter:description", "description"].map((name) => page.meta(name)).find(Boolean) ?? "";
  const leadImage = options.images ? findLeadImage(page) : "";
  const language = findLanguage(document);
  const notes = findNotes(document, options);
  removeHidden(document);
  const isShell = visibleText(document.body).length < maxShellLength;
  const structure = options.modes.some((mode) => mode === "more")
    ? serializeChildren(document.body, options)
    : undefined;
  const extracted = extractArticle(page, {
    images: options.images,
    title,
    authors: publication.author?.split(", ") ?? [],
    publishedAt: publication.publishedAt,
    rules,
  });
  const found = withNotes(extracted.markup, notes);
  const image = options.images ? publication.imageUrl : undefined;
  const article = video ? withVideo(found, video, { title, image }) : withLeadImage(found, leadImage);
  const clean = (markup: string) => sanitize(markup, { baseUrl: document.baseURI, images: options.images });
  const cleanFound = clean(article);
  const isEmpty = !hasContent(cleanFound) || (isShell && isRequestForScripts(cleanFound));
  const declared = isEmpty && isShell ? declaredText(page.structuredData) : "";
  const stored = isShell && declared === "" ? clean(storedText(source)) : "";
  const isStored = stored.length > cleanFound.length * manyTimes;
  const summary = isEmpty && isShell && declared === "" ? writeParagraphs(description) : "";
  const cleanArticle = isStored ? stored : isEmpty ? clean(declared || summary) : cleanFound;
  const notices = [
    [extracted.isDeclaredText || declared !== "", declaredNotice],
    [isStored, storedNotice],
    [isEmpty && summary !== "", summaryNotice],
    [isEmpty, emptyNotice],
  ] as const;
  const notice = notices.find(([applies]) => applies)?.[1];
  const writeView = (mode: Mode): PageView => {
    const isWhole = mode === "more" && structure !== undefined;
    const view = isWhole ? withArticle(clean(structure), cleanArticle) : cleanArticle;
    return {
      html: withDrawings(
        limitMarks(withLanguage(linkWithin(cutToLimit(view, clean), page.url.href), language)),
        document,
      ),
      title: limitMarks(title),
      nextUrl,
      loginFound,
      ...publication,
      notice: mode === "less" || view === "" ? notice : undefined,
    };
  };
  return Object.fromEntries(options.modes.map((mode) => [mode, writeView(mode)])) as Record<M, PageView>;
}

const manyTimes = 2;
/** Characters of a page whose text is only loaded by its scripts. */
const maxShellLength = 600;
const declaredNotice = "the page needs scripts to show its text; this text is from its structured data";
const storedNotice = "the page needs scripts to show its text; this text is from one of its templates";
const summaryNotice = "the page needs scripts to show its text; this is its description for previews";
const emptyNotice = "no article was found on this page";

const readText = (html: string) => html.replace(/<[^<>]*>/g, "").trim();
const hasContent = (html: string) => /<(?:img|a)\b/.test(html) || readText(html) !== "";

/** Whether markup only tells the reader to allow scripts. */
function isRequestForScripts(html: string): boolean {
  const text = readText(html);
  return text.length <= maxRequestLength && /java ?script/i.test(text) && request.test(text);
}

/** Characters. */
const maxRequestLength = 300;
const request =
  /\b(?:enabled?|turn(?:ed)? on|allow|required?|requires|needs?|needed|disabled|activ[ae]\w{0,6}|activé|aktivier\w{1,3}|habilit\w{1,5})\b/i;

/** Bytes; equal to the maximum size of a fetched page. */
const maxViewBytes = 5_000_000;

export const isWithinLimit = (html: string): boolean => Buffer.byteLength(html) <= maxViewBytes;

/** The start of markup, as much as a view may have. */
export const startWithinLimit = (html: string): string => Buffer.from(html).subarray(0, maxViewBytes).toString();

/** Markup up to the last end tag within the limit. The sanitiser (`clean`) closes the elements that are open there. */
export function cutToLimit(html: string, clean: (markup: string) => string): string {
  if (isWithinLimit(html)) return html;
  const start = startWithinLimit(html);
  return clean(start.slice(0, Math.max(0, start.lastIndexOf("</"))));
}

/** Brings a page into a form that every extractor reads. */
export function prepare(page: Page, { images }: Pick<ViewOptions, "images">): void {
  placeStreamedParts(page.document);
  writeOutCards(page.document);
  keepDirections(page.document);
  decodeEmails(page.document);
  placeMarginNotes(page.document);
  linkNotes(page.document);
  markAnchors(page);
  cleanHeadings(page);
  writeOutMath(page.document);
  joinListings(page.document);
  writeOutCodeLines(page.document);
  writeOutSentences(page.document);
  markCallouts(page.document);
  writeOutIcons(page.document);
  linkEmbeds(page.document);
  writeOutAttachments(page.document);
  if (!images) return;
  placeDrawings(page.document);
  resolveImages(page.document);
}
