// SPDX-License-Identifier: MIT

import { escapeText } from "@reading-list/core/domain/escape.ts";
import { paragraphsOf } from "../document/paragraphs.ts";
import { parseJson } from "../document/structured-data.ts";
import { FetchError } from "../fetch/fetch-error.ts";
import { closed, isoTimeOf, viewArticleMarkup } from "../view/article-markup.ts";
import type { PageView } from "../view/text-view.ts";
import { type Feed, viewFeed } from "./feed.ts";

/**
 * The view of JSON that is a page: a JSON Feed, or what a page names as its own JSON: a topic of Discourse, a post of
 * WordPress. Throws FetchError if it is neither.
 */
export function viewJson(text: string, url: string, options: { images: boolean }): PageView {
  const json = parseJson(text.replace(/^\ufeff/, ""));
  if (json === undefined) throw new FetchError("is JSON that cannot be decoded");
  if (textOf(json, "version").startsWith("https://jsonfeed.org/version/")) return viewFeed(feedOf(json), url, options);
  const view = viewTopic(json, url, options) ?? viewPost(json, url, options);
  if (view === undefined) throw new FetchError("is JSON, but not a feed");
  return view;
}

function feedOf(json: unknown): Feed {
  return {
    title: textOf(json, "title"),
    description: textOf(json, "description"),
    language: textOf(json, "language"),
    items: listOf(json, "items").map((item) => ({
      title: textOf(item, "title"),
      url: textOf(item, "url") || textOf(item, "external_url"),
      author: textOf(item, "authors", 0, "name") || textOf(item, "author", "name"),
      date: textOf(item, "date_published") || textOf(item, "date_modified"),
      content: textOf(item, "content_html") || paragraphsOf(textOf(item, "content_text") || textOf(item, "summary")),
    })),
  };
}

/** Discourse's topic: its first posts, each after the name of its author. */
function viewTopic(json: unknown, url: string, options: { images: boolean }): PageView | undefined {
  const posts = listOf(json, "post_stream", "posts").filter((post) => textOf(post, "cooked") !== "");
  const [first] = posts;
  if (first === undefined) return undefined;
  const authorOf = (post: unknown) => textOf(post, "name") || textOf(post, "username");
  const markup = posts.map(
    (post) => `<h4>${escapeText(authorOf(post))}</h4><div>${closed(textOf(post, "cooked"))}</div>`,
  );
  const view = viewArticleMarkup(withTitle(textOf(json, "title"), markup.join("\n")), url, options);
  return { ...view, author: authorOf(first) || undefined, publishedAt: isoTimeOf(textOf(first, "created_at")) };
}

/** WordPress' post or page. */
function viewPost(json: unknown, url: string, options: { images: boolean }): PageView | undefined {
  const content = textOf(json, "content", "rendered");
  if (content === "") return undefined;
  // The title is HTML.
  const view = viewArticleMarkup(
    `<title>${textOf(json, "title", "rendered")}</title><body>${closed(content)}`,
    url,
    options,
  );
  const date = textOf(json, "date_gmt");
  return { ...view, publishedAt: isoTimeOf(date && `${date}Z`) };
}

const withTitle = (title: string, body: string) => `<title>${escapeText(title)}</title><body>${body}`;

/** The value at a path of members; undefined if the path does not exist. */
function memberOf(json: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (value, name) =>
      typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined,
    json,
  );
}

function textOf(json: unknown, ...path: (string | number)[]): string {
  const value = memberOf(json, path);
  return typeof value === "string" ? value.trim() : "";
}

function listOf(json: unknown, ...path: string[]): unknown[] {
  const value = memberOf(json, path);
  return Array.isArray(value) ? value : [];
}
