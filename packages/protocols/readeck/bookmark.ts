// SPDX-License-Identifier: MIT

import { toSite } from "@reading-list/core/domain/hosts.ts";
import type { Item } from "@reading-list/core/domain/item.ts";
import type { KeptArticle } from "@reading-list/core/domain/kept-article.ts";
import { isStarred, listLabels } from "@reading-list/core/domain/tags.ts";
import { writeTime } from "../shown-page.ts";
import { countWords, toMinutes } from "../words.ts";

const isArchived = ({ state }: Pick<Item, "state">) => state === "1";

/** The parts of a bookmark beside its item: the note on the page, which is its description; and the article, which a list does not read. */
interface Details {
  note?: string | undefined;
  article?: KeptArticle | undefined;
}

/** An item as Readeck's bookmark. `address` is the API's. */
export function writeBookmark(item: Item, address: string, { note = "", article }: Details = {}) {
  const words = article ? countWords(article.less || article.more) : 0;
  const published = article?.publishedAt && Date.parse(article.publishedAt) / 1000;
  const href = `${address}/api/bookmarks/${item.itemId}`;
  const site = toSite(item);
  return {
    id: item.itemId,
    href,
    created: writeTime(item.timeAdded),
    updated: writeTime(item.timeUpdated),
    state: 0,
    loaded: true,
    url: item.url,
    title: item.title,
    site_name: site,
    site,
    authors: article?.author ? article.author.split(", ") : [],
    lang: article?.language ?? "",
    text_direction: "ltr",
    document_type: "article",
    type: "article",
    has_article: true,
    description: note,
    is_deleted: item.isDeleted,
    is_marked: isStarred(item),
    is_archived: isArchived(item),
    labels: listLabels(item),
    read_progress: item.progress?.percent ?? 0,
    // iOS and Android need numbers, and no `published` rather than null.
    word_count: words,
    reading_time: toMinutes(words),
    ...(published && { published: writeTime(published) }),
    // kobeck requires `log` and `props`, and fetches neither.
    resources: { article: { src: `${href}/article` }, log: { src: href }, props: { src: href } },
  };
}

/** The same with the fields of a single bookmark. */
export const writeBookmarkInfo = (item: Item, address: string, details: Details) => ({
  ...writeBookmark(item, address, details),
  read_anchor: item.progress?.selector ?? "",
  omit_description: false,
  embed: "",
  embed_domain: "",
  errors: [],
  links: [],
});
