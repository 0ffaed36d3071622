// SPDX-License-Identifier: MIT

import { escapeXml } from "@reading-list/core/domain/escape.ts";
import type { Item } from "@reading-list/core/domain/item.ts";
import { findContentTime } from "@reading-list/core/domain/list-query.ts";
import { tagsIn } from "@reading-list/core/domain/tags.ts";
import { element } from "@reading-list/http/xml.ts";
import { shownTitle, toTagUri, toUri, writeTime } from "../shown-page.ts";

interface Feed {
  title: string;
  /** The address of the service. */
  home: string;
  username: string;
  /** The conditions of its pages, as its query string has them. */
  conditions: string;
  /** Unix seconds. */
  updatedAt: number;
  pages: readonly Item[];
}

/** Writes a feed; none names its own address, which has the secret: readers pass feeds on. */
export interface FeedForm {
  type: string;
  write: (feed: Feed) => string;
}

const declaration = '<?xml version="1.0" encoding="UTF-8"?>';
const text = (name: string, value: string, attributes = {}) => element(name, escapeXml(value), attributes);

const atomEntry = (item: Item, username: string) =>
  element(
    "entry",
    [
      text("title", shownTitle(item)),
      text("id", toTagUri(username, item.itemId)),
      text("updated", writeTime(findContentTime(item))),
      text("published", writeTime(item.timeAdded)),
      element("link", "", { rel: "alternate", href: toUri(item) }),
      ...tagsIn(item.tags).map((term) => element("category", "", { term })),
    ].join(""),
  );

export const atom: FeedForm = {
  type: "application/atom+xml; charset=utf-8",
  write: ({ title, home, username, conditions, updatedAt, pages }) => {
    const content = [
      text("title", title),
      text("id", toTagUri(username, `feed?${conditions}`)),
      text("updated", writeTime(updatedAt)),
      element("author", text("name", username)),
      element("link", "", { rel: "alternate", href: home }),
      ...pages.map((item) => atomEntry(item, username)),
    ];
    return declaration + element("feed", content.join(""), { xmlns: "http://www.w3.org/2005/Atom" });
  },
};

/** Unix seconds as RSS has them (RFC 822). */
const writeRssDate = (seconds: number) => new Date(seconds * 1000).toUTCString();

const rssItem = (item: Item, username: string) =>
  element(
    "item",
    [
      text("title", shownTitle(item)),
      text("link", toUri(item)),
      text("guid", toTagUri(username, item.itemId), { isPermaLink: "false" }),
      text("pubDate", writeRssDate(item.timeAdded)),
      ...tagsIn(item.tags).map((tag) => text("category", tag)),
    ].join(""),
  );

export const rss: FeedForm = {
  type: "application/rss+xml; charset=utf-8",
  write: ({ title, home, username, updatedAt, pages }) => {
    const content = [
      text("title", title),
      text("link", home),
      text("description", title),
      text("lastBuildDate", writeRssDate(updatedAt)),
      ...pages.map((item) => rssItem(item, username)),
    ];
    return declaration + element("rss", element("channel", content.join("")), { version: "2.0" });
  },
};
