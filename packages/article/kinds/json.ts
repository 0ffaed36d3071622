// SPDX-License-Identifier: MIT

import { escapeText } from "@reading-list/core/domain/escape.ts";
import { writeParagraphs } from "../document/paragraphs.ts";
import { parseJson } from "../document/structured-data.ts";
import { FetchError } from "../fetch/fetch-error.ts";
import { closed, toIsoTime, viewArticleMarkup } from "../view/article-markup.ts";
import type { PageView } from "../view/text-view.ts";
import { type Feed, viewFeed } from "./feed.ts";

/**
 * The view of JSON that is a page: a JSON Feed, or what a page names as its own JSON: a topic of Discourse, a post of
 * WordPress. Throws FetchError if it is neither.
 */
export function viewJson(text: string, url: string, options: { images: boolean }): PageView {
  const json = parseJson(text.replace(/^\ufeff/, ""));
  if (json === undefined) throw new FetchError("is JSON that cannot be decoded");
  if (readString(json, "version").startsWith("https://jsonfeed.org/version/"))
    return viewFeed(readFeed(json), url, options);
  const view = viewTopic(json, url, options) ?? viewPost(json, url, options);
  if (view === undefined) throw new FetchError("is JSON, but not a feed");
  return view;
}

function readFeed(json: unknown): Feed {
  return {
    title: readString(json, "title"),
    description: readString(json, "description"),
    language: readString(json, "language"),
    items: readList(json, "items").map((item) => ({
      title: readString(item, "title"),
      url: readString(item, "url") || readString(item, "external_url"),
      author: readString(item, "authors", 0, "name") || readString(item, "author", "name"),
      date: readString(item, "date_published") || readString(item, "date_modified"),
      content:
        readString(item, "content_html") ||
        writeParagraphs(readString(item, "content_text") || readString(item, "summary")),
    })),
  };
}

/** Discourse's topic: its first posts, each after the name of its author. */
function viewTopic(json: unknown, url: string, options: { images: boolean }): PageView | undefined {
  const posts = readList(json, "post_stream", "posts").filter((post) => readString(post, "cooked") !== "");
  const [first] = posts;
  if (first === undefined) return undefined;
  const readAuthor = (post: unknown) => readString(post, "name") || readString(post, "username");
  const markup = posts.map(
    (post) => `<h4>${escapeText(readAuthor(post))}</h4><div>${closed(readString(post, "cooked"))}</div>`,
  );
  const view = viewArticleMarkup(withTitle(readString(json, "title"), markup.join("\n")), url, options);
  return { ...view, author: readAuthor(first) || undefined, publishedAt: toIsoTime(readString(first, "created_at")) };
}

/** WordPress' post or page. */
function viewPost(json: unknown, url: string, options: { images: boolean }): PageView | undefined {
  const content = readString(json, "content", "rendered");
  if (content === "") return undefined;
  // The title is HTML.
  const view = viewArticleMarkup(
    `<title>${readString(json, "title", "rendered")}</title><body>${closed(content)}`,
    url,
    options,
  );
  const date = readString(json, "date_gmt");
  return { ...view, publishedAt: toIsoTime(date && `${date}Z`) };
}

const withTitle = (title: string, body: string) => `<title>${escapeText(title)}</title><body>${body}`;

/** The value at a path of members; undefined if the path does not exist. */
function readMember(json: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (value, name) =>
      typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined,
    json,
  );
}

function readString(json: unknown, ...path: (string | number)[]): string {
  const value = readMember(json, path);
  return typeof value === "string" ? value.trim() : "";
}

function readList(json: unknown, ...path: string[]): unknown[] {
  const value = readMember(json, path);
  return Array.isArray(value) ? value : [];
}
