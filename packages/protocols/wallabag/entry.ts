// SPDX-License-Identifier: MIT

import { createHash } from "node:crypto";
import { describeDrawings } from "@reading-list/core/domain/drawing.ts";
import type { Item } from "@reading-list/core/domain/item.ts";
import type { KeptArticle } from "@reading-list/core/domain/kept-article.ts";
import { findContentTime } from "@reading-list/core/domain/list-query.ts";
import { isStarred, listLabels } from "@reading-list/core/domain/tags.ts";
import { toTagId } from "../shown-page.ts";
import { countWords, toMinutes } from "../words.ts";

/** Unix seconds as all clients can parse them: without milliseconds, and with an offset that is not `Z`. */
export const writeTime = (seconds: number) => `${new Date(seconds * 1000).toISOString().slice(0, 19)}+0000`;

export const hashUrl = (url: string) => createHash("sha1").update(url).digest("hex");

/** A tag of a list. */
export const writeTag = (label: string) => ({
  id: toTagId(label),
  label,
  slug:
    label
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}:]+/gu, "-")
      // bounded: a tag of up to 1,000 characters
      .replaceAll(/^-+|-+$/g, "") || label,
});

/** The user of entries, whose numeric id no client uses. */
export const userId = 1;

export type Article = Pick<KeptArticle, "less" | "more" | "title"> &
  Partial<Pick<KeptArticle, "author" | "imageUrl" | "publishedAt" | "language">>;

export const writeContent = ({ less, more }: Pick<Article, "less" | "more">): string =>
  // A text that an app has sent without elements comes back without one.
  describeDrawings(less || more).replace(/^<div>([^<]*)<\/div>$/, "$1");

/**
 * An item as wallabag's entry. Fields that lists do not have are filled as in an empty entry. Clients need all fields,
 * and wallabag.el needs them in this order: it stores them by their positions.
 */
export function writeEntry(item: Item, username: string, article: Article | undefined, isMetadata = false) {
  const { number: id, url, title } = item;
  // Readers load an entry again if it moves, and progress does not change what they load.
  const updatedAt = writeTime(findContentTime(item));
  const content = article ? writeContent(article) : "";
  const publishedAt = article?.publishedAt && Date.parse(article.publishedAt) / 1000;
  const hash = hashUrl(url);
  return {
    is_archived: Number(item.state === "1"),
    is_starred: Number(isStarred(item)),
    user_name: username,
    user_email: "",
    user_id: userId,
    tags: listLabels(item).map(writeTag),
    is_public: false,
    id,
    uid: null,
    title: title === url ? article?.title || url : title,
    url,
    hashed_url: hash,
    origin_url: null,
    given_url: url,
    hashed_given_url: hash,
    // The list does not store when a page was archived or starred.
    archived_at: null,
    content: isMetadata ? null : content,
    created_at: writeTime(item.timeAdded),
    updated_at: updatedAt,
    published_at: publishedAt ? writeTime(publishedAt) : null,
    published_by: article?.author ? article.author.split(", ") : [],
    starred_at: null,
    // Written apart from the other fields, because they can be long.
    annotations: [],
    mimetype: "text/html",
    // As wallabag writes locales, such as `de_AT`.
    language: article?.language?.replaceAll("-", "_") ?? null,
    reading_time: toMinutes(countWords(content)),
    domain_name: URL.parse(url)?.hostname ?? "",
    preview_picture: article?.imageUrl ?? null,
    http_status: "200",
    headers: {},
    _links: { self: { href: `/api/entries/${id}` } },
  };
}
