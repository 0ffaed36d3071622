// SPDX-License-Identifier: MIT

import { toSite } from "@reading-list/core/domain/hosts.ts";
import type { Item } from "@reading-list/core/domain/item.ts";
import { findContentTime } from "@reading-list/core/domain/list-query.ts";
import { listLabels } from "@reading-list/core/domain/tags.ts";
import type { HttpAnswer } from "@reading-list/http/call.ts";
import { shownTitle, toTagUri, toUri, writeTime } from "../shown-page.ts";
import { authenticationLink } from "./answers.ts";
import { type Addresses, bookUrl, entriesOfPart, epubType, type Feed, partLinks } from "./feed.ts";

const type = "application/opds+json";
const publicationType = "application/opds-publication+json";

const answerJson = (contentType: string, value: unknown): HttpAnswer => ({
  status: 200,
  headers: { "Content-Type": contentType },
  body: JSON.stringify(value),
});

/** A feed of OPDS 2.0. */
export function writeJson(feed: Feed, addresses: Addresses): HttpAnswer {
  const { title, username, updatedAt, part, folders, pages } = feed;
  const { version, catalog } = addresses;
  return answerJson(type, {
    metadata: {
      title,
      modified: writeTime(updatedAt),
      numberOfItems: part.total,
      itemsPerPage: entriesOfPart,
      currentPage: part.number,
    },
    links: [
      ...partLinks(feed, addresses).map((link) => ({ ...link, type })),
      { rel: "start", href: version, type },
      { rel: "search", href: `${version}/search{?query}`, type, templated: true },
      authenticationLink(catalog),
    ],
    ...(folders && {
      navigation: folders.map(({ title, path, count }) => ({
        title,
        href: version + path,
        type,
        rel: "subsection",
        ...(count !== undefined && { properties: { numberOfItems: count } }),
      })),
    }),
    ...(pages && { publications: pages.map((page) => writePublication(page, username, addresses)) }),
  });
}

function writePublication(item: Item, username: string, addresses: Addresses) {
  const subject = listLabels(item);
  return {
    metadata: {
      "@type": "http://schema.org/Article",
      identifier: toTagUri(username, item.itemId),
      title: shownTitle(item),
      publisher: toSite(item),
      modified: writeTime(findContentTime(item)),
      ...(subject.length > 0 && { subject }),
    },
    links: [
      { rel: "self", href: `${addresses.version}/publications/${item.itemId}`, type: publicationType },
      { rel: "http://opds-spec.org/acquisition", href: bookUrl(addresses, item), type: epubType },
      { rel: "alternate", href: toUri(item), type: "text/html" },
    ],
  };
}

/** A single page. */
export const answerPublication = (item: Item, username: string, addresses: Addresses): HttpAnswer =>
  answerJson(publicationType, writePublication(item, username, addresses));
