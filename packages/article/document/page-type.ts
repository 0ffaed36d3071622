// SPDX-License-Identifier: MIT

import { articleType, listTypes, type Thing } from "./structured-data.ts";

/**
 * The type that a page declares.
 *
 * - `article`: one article, by Open Graph, a publication time or JSON-LD
 * - `thread`: a forum thread or a list of questions, by JSON-LD; answers and comments are its content
 * - `other`: it declares neither
 */
export type PageType = "article" | "thread" | "other";

/** Threads often declare an article as well, so the declaration of a thread takes precedence. */
export function findPageType(meta: (name: string) => string, things: readonly Thing[]): PageType {
  const types = things.flatMap(listTypes);
  if (types.some((type) => threadTypes.has(type))) return "thread";
  const isArticle =
    meta("og:type").toLowerCase() === "article" ||
    meta("article:published_time") !== "" ||
    types.some((type) => articleType.test(type));
  return isArticle ? "article" : "other";
}

const threadTypes = new Set(["DiscussionForumPosting", "QAPage", "Question", "FAQPage"]);
