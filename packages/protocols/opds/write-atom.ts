// SPDX-License-Identifier: MIT

import { escapeXml } from "@reading-list/core/domain/escape.ts";
import { toSite } from "@reading-list/core/domain/hosts.ts";
import type { Item } from "@reading-list/core/domain/item.ts";
import { findContentTime } from "@reading-list/core/domain/list-query.ts";
import { listLabels } from "@reading-list/core/domain/tags.ts";
import type { HttpAnswer } from "@reading-list/http/call.ts";
import { element } from "@reading-list/http/xml.ts";
import { shownTitle, toTagUri, toUri, writeTime } from "../shown-page.ts";
import {
  type Addresses,
  bookUrl,
  entriesOfPart,
  epubType,
  type Feed,
  type Folder,
  partLinks,
  skippedBefore,
} from "./feed.ts";

const feedType = (holds: Folder["holds"]) =>
  `application/atom+xml;profile=opds-catalog;kind=${holds === "pages" ? "acquisition" : "navigation"}`;
const searchType = "application/opensearchdescription+xml";
const declaration = '<?xml version="1.0" encoding="UTF-8"?>';

const text = (name: string, value: string) => element(name, escapeXml(value));
const link = (rel: string, type: string, href: string) => element("link", "", { rel, type, href });
/** Elements that feeds and entries have. */
const head = (title: string, id: string, updatedAt: number) =>
  text("title", title) + text("id", id) + text("updated", writeTime(updatedAt));

/** A feed of OPDS 1.2. */
export function writeAtom(feed: Feed, addresses: Addresses): HttpAnswer {
  const { title, username, path, updatedAt, part, folders = [], pages } = feed;
  const type = feedType(pages ? "pages" : "folders");
  const content = [
    head(title, toTagUri(username, `opds${path}`), updatedAt),
    element("author", text("name", username)),
    link("start", feedType("folders"), addresses.version),
    link("search", searchType, `${addresses.catalog}/opensearch.xml`),
    ...partLinks(feed, addresses).map(({ rel, href }) => link(rel, type, href)),
    text("opensearch:totalResults", String(part.total)),
    text("opensearch:itemsPerPage", String(entriesOfPart)),
    text("opensearch:startIndex", String(skippedBefore(part.number) + 1)),
    ...folders.map((folder) => folderEntry(folder, feed, addresses)),
    ...(pages ?? []).map((page) => pageEntry(page, feed, addresses)),
  ];
  const namespaces = {
    xmlns: "http://www.w3.org/2005/Atom",
    "xmlns:dc": "http://purl.org/dc/terms/",
    "xmlns:opensearch": "http://a9.com/-/spec/opensearch/1.1/",
  };
  return answerXml(type, element("feed", content.join(""), namespaces));
}

const answerXml = (type: string, xml: string): HttpAnswer => ({
  status: 200,
  headers: { "Content-Type": type },
  body: declaration + xml,
});

function folderEntry({ title, path, count, holds }: Folder, { username, updatedAt }: Feed, { version }: Addresses) {
  const content = count === undefined ? title : `${count} ${count === 1 ? holds.slice(0, -1) : holds}`;
  return element(
    "entry",
    head(title, toTagUri(username, `opds${path}`), updatedAt) +
      element("content", escapeXml(content), { type: "text" }) +
      link("subsection", feedType(holds), version + path),
  );
}

function pageEntry(item: Item, { username }: Feed, addresses: Addresses): string {
  return element(
    "entry",
    head(shownTitle(item), toTagUri(username, item.itemId), findContentTime(item)) +
      text("published", writeTime(item.timeAdded)) +
      text("dc:publisher", toSite(item)) +
      listLabels(item)
        .map((label) => element("category", "", { term: label, label }))
        .join("") +
      element("summary", escapeXml(item.url), { type: "text" }) +
      link("alternate", "text/html", toUri(item)) +
      link("http://opds-spec.org/acquisition", epubType, bookUrl(addresses, item)),
  );
}

/** Tells readers of OPDS 1.2 how to search. */
export const answerSearchDescription = (catalog: string): HttpAnswer =>
  answerXml(
    searchType,
    element(
      "OpenSearchDescription",
      text("ShortName", "Reading list") +
        text("Description", "Search titles, URLs and tags of saved pages") +
        text("InputEncoding", "UTF-8") +
        text("OutputEncoding", "UTF-8") +
        element("Url", "", { type: feedType("pages"), template: `${catalog}/search?query={searchTerms}` }),
      { xmlns: "http://a9.com/-/spec/opensearch/1.1/" },
    ),
  );
