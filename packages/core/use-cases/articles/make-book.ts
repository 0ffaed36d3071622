// SPDX-License-Identifier: MIT

import { deadlineSignal, extendDeadline } from "../../call-scope.ts";
import { shortenDrawings } from "../../domain/drawing.ts";
import { toItemId } from "../../domain/item-id.ts";
import { ByteBudget } from "../../domain/kept-article.ts";
import { QuotationBudget } from "../../domain/quotation.ts";
import { ServiceError } from "../../errors.ts";
import type { HighlightStore } from "../../ports/highlights.ts";
import type { Chapter } from "../../ports/pages.ts";
import { forEach } from "../for-each.ts";
import { readHighlights } from "../lists/page-highlights.ts";
import type { Caller } from "../use-case.ts";
import { type ArticleAnswer, type ArticlePorts, readArticle } from "./keep-article.ts";
import { type JpegPorts, listKeptJpegs } from "./kept-jpegs.ts";
import { markChapter } from "./mark-chapter.ts";

/** Pages that are read at the same time, and the milliseconds after which no further one is. */
const pagesAtOnce = 4;
const readingMs = 12_000;
/** Deadline of the call in ms: reading, 10 s for the last page, and the images are done before API Gateway's 30 s. */
const deadlineMs = 28_000;
/** Bytes of all articles, decompressed, both views of each: a longer book takes more processor time than it may. */
const maxArticleBytes = 40_000_000;
/** Bytes of images that fit, with their book, into a response of 6 MB in base64. */
const maxImageBytes = 3_800_000;

export interface Book {
  epub: Uint8Array;
  title: string;
}

export type BookPorts = ArticlePorts & JpegPorts & { highlights: Pick<HighlightStore, "walkItem"> };
type BookCaller = Pick<Caller, "user" | "application" | "address">;

/** The view of each article; or the HTML by which an API serves it, whose elements the book then has as they are. */
export type BookContent = "less" | "more" | ((article: ArticleAnswer) => string);

/**
 * An EPUB of a page of the user's list, or of several in the order given, with their highlights. Articles without a
 * saved copy are read and saved. If one of several pages cannot be read, its chapter says so. Throws `invalid` if a
 * page is not in the list, a single page cannot be read, or the texts are too long; `busy` if time ran out: a retry
 * continues with the saved copies.
 */
export async function makeBook(
  deps: BookPorts,
  caller: BookCaller,
  pages: string | readonly string[],
  content: BookContent,
): Promise<Book> {
  extendDeadline(deadlineMs);
  const isList = typeof pages !== "string";
  const urls = isList ? pages : [pages];
  const chapters: Chapter[] = [];
  const budget = new ByteBudget(maxArticleBytes);
  const marksBudget = new QuotationBudget();
  const end = performance.now() + readingMs;
  await forEach([...urls.entries()], pagesAtOnce, async ([index, url]) => {
    if (performance.now() > end || deadlineSignal()?.aborted) throw cutShort();
    const page = { url, content, budget, marksBudget, index: isList ? index : undefined };
    chapters[index] = await readChapter(deps, caller, page);
  });
  const itemIds = urls.map(toItemId);
  const kept = await listKeptJpegs(deps, caller.user, caller.address, { itemIds, maxBytes: maxImageBytes });
  const epub = await deps.reader.book(chapters, {
    maxImageBytes,
    isVerbatim: typeof content === "function",
    ...(kept.size > 0 && { kept }),
    turn: { address: caller.address, user: caller.user.userId },
  });
  return { epub, title: chapters.length === 1 ? (chapters[0]?.title ?? "") : `${chapters.length} articles` };
}

interface BookPage {
  url: string;
  content: BookContent;
  budget: ByteBudget;
  marksBudget: QuotationBudget;
  /** Its place in a book of several pages. */
  index: number | undefined;
}

async function readChapter(
  deps: BookPorts,
  caller: BookCaller,
  { url, content, budget, marksBudget, index }: BookPage,
): Promise<Chapter> {
  const part = index === undefined ? "url" : `urls.${index}`;
  try {
    const article = await readArticle(deps, caller, { url, part, budget });
    const highlights = await readHighlights(deps, caller.user, toItemId(url));
    return await markChapter(asChapter(url, article, content), highlights, marksBudget);
  } catch (error) {
    // An error of the reader is the cause.
    const cause = error instanceof ServiceError && error.cause;
    if (index === undefined || !(cause instanceof ServiceError) || cause.kind !== "invalid") throw error;
    return { url, title: "", html: `<p>${cause.message.replace(/^url/, "The page")}.</p>`, keptAt: undefined };
  }
}

/** A chapter of an article; the other view if the mode's view is empty. */
export function asChapter(url: string, article: ArticleAnswer, content: BookContent): Chapter {
  const { title, author, publishedAt, keptAt } = article;
  const html = typeof content === "function" ? content(article) : article[content] || article.less || article.more;
  // The pictures of a book are found by their addresses.
  return { url, title, html: shortenDrawings(html), author, publishedAt, keptAt };
}

const cutShort = () =>
  new ServiceError("busy", "article: only some of the pages were read in time; send the same request again", {
    retryAfter: 1,
  });
