// SPDX-License-Identifier: MIT

import { deadlineSignal, extendDeadline } from "../../call-scope.ts";
import { ByteBudget } from "../../domain/kept-article.ts";
import { ServiceError } from "../../errors.ts";
import type { Chapter } from "../../ports.ts";
import { forEach } from "../for-each.ts";
import type { Caller } from "../use-case.ts";
import { type ArticleAnswer, type ArticlePorts, readArticle } from "./keep-article.ts";

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

/**
 * An EPUB of a page of the user's list, or of several in the order given. Articles that are not kept are read and kept. In a book of
 * several pages, one that cannot be read is a chapter that says so. Throws `invalid` if a page is not in the list, a single
 * one cannot be read, or the texts are too long; `busy` if time ran out: a retry continues with what was kept.
 */
export async function makeBook(
  deps: ArticlePorts,
  caller: Pick<Caller, "user" | "application" | "address">,
  pages: string | readonly string[],
  mode: "less" | "more",
): Promise<Book> {
  extendDeadline(deadlineMs);
  const isList = typeof pages !== "string";
  const urls = isList ? pages : [pages];
  const chapters: Chapter[] = [];
  const budget = new ByteBudget(maxArticleBytes);
  const end = performance.now() + readingMs;
  await forEach([...urls.entries()], pagesAtOnce, async ([index, url]) => {
    if (performance.now() > end || deadlineSignal()?.aborted) throw cutShort();
    chapters[index] = await chapterOf(deps, caller, { url, mode, budget, index: isList ? index : undefined });
  });
  const epub = await deps.reader.book(chapters, {
    maxImageBytes,
    turn: { address: caller.address, user: caller.user.userId },
  });
  return { epub, title: chapters.length === 1 ? (chapters[0]?.title ?? "") : `${chapters.length} articles` };
}

async function chapterOf(
  deps: ArticlePorts,
  caller: Pick<Caller, "user" | "application" | "address">,
  { url, mode, budget, index }: { url: string; mode: "less" | "more"; budget: ByteBudget; index: number | undefined },
): Promise<Chapter> {
  const part = index === undefined ? "url" : `urls.${index}`;
  try {
    return asChapter(url, await readArticle(deps, caller, { url, part, budget }), mode);
  } catch (error) {
    // An error of the reader is the cause.
    const cause = error instanceof ServiceError && error.cause;
    if (index === undefined || !(cause instanceof ServiceError) || cause.kind !== "invalid") throw error;
    return { url, title: "", html: `<p>${cause.message.replace(/^url/, "The page")}.</p>`, keptAt: undefined };
  }
}

/** A chapter of an article; the other view if that of the mode is empty. */
export function asChapter(url: string, article: ArticleAnswer, mode: "less" | "more"): Chapter {
  const { title, author, publishedAt, keptAt } = article;
  const html = article[mode] || article.less || article.more;
  return { url, title, html, author, publishedAt, keptAt };
}

const cutShort = () =>
  new ServiceError("busy", "article: time ran out after a part of the pages; send the same request again", {
    retryAfter: 1,
  });
