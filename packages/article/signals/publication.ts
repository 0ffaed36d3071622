// SPDX-License-Identifier: MIT

import { readThreadStart } from "../article/thread.ts";
import { toLetters } from "../document/dom.ts";
import { imageSource } from "../document/link-target.ts";
import type { Page } from "../document/page.ts";
import { articleType, filterThings, type Thing } from "../document/structured-data.ts";
import { findByline } from "./byline.ts";
import { dateIn } from "./date-text.ts";

/** The publication as its page declares or shows it; a property is undefined if it does neither. */
export interface Publication {
  /** Absolute http(s) URL of the image for previews. */
  imageUrl: string | undefined;
  /** Names, separated by ", ". */
  author: string | undefined;
  /** ISO 8601: a date, or a date and time in UTC. */
  publishedAt: string | undefined;
}

/** `title`: of the page, around which a page without declarations shows its author and date. */
export function findPublication(page: Page, title: string): Publication {
  const postings = filterThings(page.structuredData, /^(?:DiscussionForum|SocialMedia)Posting$/);
  // Several are a list of threads.
  const articles = [...filterThings(page.structuredData, articleType), ...(postings.length === 1 ? postings : [])];
  const [author, date] = [declaredAuthor(page, articles), declaredDate(page, articles)];
  // Some sites declare themselves as the author of each article.
  const isSite = author !== undefined && toLetters(author) === toLetters(page.meta("og:site_name"));
  const isWhole = author !== undefined && !isSite && date !== undefined;
  const thread = isWhole ? undefined : readThreadStart(page);
  const shown = isWhole || thread !== undefined ? undefined : findByline(page, title);
  return {
    imageUrl: findImage(page, articles),
    author: thread?.author ?? (isSite ? shown?.author : undefined) ?? author ?? shown?.author,
    publishedAt: date ?? dateIn(thread?.date ?? "") ?? shown?.date ?? readUrlDate(page.url),
  };
}

function findImage(page: Page, articles: readonly Thing[]): string | undefined {
  const declared = ["og:image", "og:image:url", "twitter:image", "twitter:image:src"].map((name) => page.meta(name));
  const structured = articles.flatMap(({ image }) => [image].flat()).map((image) => readName(image, "url"));
  for (const url of [...declared, ...structured]) {
    const source = url === "" ? undefined : imageSource(url, page.document.baseURI);
    if (source !== undefined) return source;
  }
  return undefined;
}

/** Names in structured data or metadata. */
function declaredAuthor(page: Page, articles: readonly Thing[]): string | undefined {
  const named = page.structuredData.filter(({ name }) => name !== undefined);
  const byId = new Map(named.map((thing) => [thing["@id"], thing]));
  const structured = articles.map(({ author }) =>
    [author].flat().map((person) => readName(person, "name") || readName(byId.get(readName(person, "@id")), "name")),
  );
  const writtenBy = /^(?:written by|author|by|verfasst von|écrit par|escrito por|scritto da|geschreven door)$/i;
  const labelled = ["1", "2"].map((n) =>
    writtenBy.test(page.meta(`twitter:label${n}`)) ? page.meta(`twitter:data${n}`) : "",
  );
  const declared = [...authorMetas.map((name) => page.meta(name)), ...labelled].map((name) => [name]);
  for (const names of [...structured, ...declared]) {
    const valid = new Set(names.map(cleanName).filter(isName));
    if (valid.size > 0) return [...valid].slice(0, maxAuthors).join(", ");
  }
  return undefined;
}

// biome-ignore format: a line holds many short names
const authorMetas = [
  "author", "article:author", "parsely-author", "dc.creator", "DC.creator", "citation_author", "byl",
  "sailthru.author", "article:author_name", "authors",
];
const maxAuthors = 10;
const maxNameLength = 100;

/** Without the label before a name and the address after it. */
const cleanName = (name: string) =>
  name
    .replace(/\s+/g, " ")
    .trim()
    .replace(/^(?:written by|by|author:) /i, "")
    // bounded: the process that reads a page is ended after a fixed time
    .replace(/ ?[-–|(<]? ?(?:https?:\/\/|mailto:)(?:(?!https?:\/\/|mailto:)\S)*$/, "");

/** Some pages name the URL of a profile, or the account that a program made. */
function isName(text: string): boolean {
  return (
    text.length <= maxNameLength &&
    /^[\p{L}\p{N}]/u.test(text) &&
    !/^https?:|@[^\s@.]+\.|^(?:admin|administrator)$/i.test(text)
  );
}

function declaredDate(page: Page, articles: readonly Thing[]): string | undefined {
  const pages = filterThings(page.structuredData, /^(?:\w*Page|VideoObject)$/);
  const structured = [
    ...articles.map(({ datePublished, dateCreated }) => datePublished ?? dateCreated),
    ...pages.map(({ datePublished, uploadDate }) => datePublished ?? uploadDate),
  ];
  for (const date of [...structured, ...dateMetas.map((name) => page.meta(name))]) {
    const iso = typeof date === "string" ? dateIn(date) : undefined;
    if (iso !== undefined) return iso;
  }
  return undefined;
}

// biome-ignore format: a line holds many short names
const dateMetas = [
  "article:published_time", "datePublished", "parsely-pub-date", "og:published_time", "article:published", "dc.date",
  "DC.date", "dc.date.issued", "DC.date.issued", "dcterms.date", "dcterms.created", "dc.date.created", "date",
  "pubdate", "publishdate", "publish-date", "publish_date", "publication_date", "citation_publication_date",
  "citation_date", "sailthru.date", "cXenseParse:recs:publishtime",
];

/** The date in a URL such as `/2026/05/01/title`. */
function readUrlDate({ pathname }: URL): string | undefined {
  const [, ...date] = /\/((?:19|20)\d\d)[/-](\d\d)[/-](\d\d)(?:[/-]|$)/.exec(pathname) ?? [];
  return dateIn(date.join("-"));
}

/** A text of JSON-LD, or the property `name` of an object; empty if there is neither. */
function readName(value: unknown, name: string): string {
  const text = typeof value === "object" && value !== null ? (value as Thing)[name] : value;
  return typeof text === "string" ? text : "";
}
