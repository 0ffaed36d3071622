// SPDX-License-Identifier: MIT

import { visibleText } from "../document/dom.ts";
import { imageSource } from "../document/link-target.ts";
import type { Page } from "../document/page.ts";
import { articleType, type Thing, typesOf } from "../document/structured-data.ts";

/** The publication as its page declares it; a property is undefined if the page does not declare it. */
export interface Publication {
  /** Absolute http(s) URL of the image for previews. */
  imageUrl: string | undefined;
  /** Names, separated by ", ". */
  author: string | undefined;
  /** ISO 8601: a date, or a date and time in UTC. */
  publishedAt: string | undefined;
}

export function findPublication(page: Page): Publication {
  const articles = page.structuredData.filter((thing) => typesOf(thing).some((type) => articleType.test(type)));
  return { imageUrl: imageOf(page, articles), author: authorOf(page, articles), publishedAt: dateOf(page, articles) };
}

function imageOf(page: Page, articles: readonly Thing[]): string | undefined {
  const declared = ["og:image", "og:image:url", "twitter:image", "twitter:image:src"].map((name) => page.meta(name));
  const structured = articles.flatMap(({ image }) => [image].flat()).map((image) => textOf(image, "url"));
  for (const url of [...declared, ...structured]) {
    const source = url === "" ? undefined : imageSource(url, page.document.baseURI);
    if (source !== undefined) return source;
  }
  return undefined;
}

function authorOf(page: Page, articles: readonly Thing[]): string | undefined {
  const named = page.structuredData.filter(({ name }) => name !== undefined);
  const byId = new Map(named.map((thing) => [thing["@id"], thing]));
  const structured = articles.map(({ author }) =>
    [author].flat().map((person) => textOf(person, "name") || textOf(byId.get(textOf(person, "@id")), "name")),
  );
  const declared = ["author", "article:author", "parsely-author", "dc.creator"].map((name) => [page.meta(name)]);
  for (const given of [...structured, ...declared, undefined]) {
    const names = given ?? [...page.document.querySelectorAll(shownAuthor)].slice(0, 1).map(visibleText);
    const valid = new Set(names.map((name) => name.trim().replace(/^(?:by|author:)\s+/i, "")).filter(isName));
    if (valid.size > 0) return [...valid].slice(0, maxAuthors).join(", ");
  }
  return undefined;
}

const shownAuthor = "[itemprop=author] [itemprop=name],[rel=author]";
const maxAuthors = 10;
const maxNameLength = 100;

/** Some pages name the URL of a profile. */
function isName(text: string): boolean {
  return text.length <= maxNameLength && /^[\p{L}\p{N}]/u.test(text) && !/^https?:/.test(text);
}

function dateOf(page: Page, articles: readonly Thing[]): string | undefined {
  const names = ["article:published_time", "datePublished", "parsely-pub-date", "dc.date", "dc.date.issued", "date"];
  const declared = [...articles.map(({ datePublished }) => datePublished), ...names.map((name) => page.meta(name))];
  const shown = page.document.querySelector("[itemprop=datePublished]");
  for (const date of [...declared, shown?.getAttribute("content"), shown?.getAttribute("datetime")]) {
    const iso = typeof date === "string" ? isoDate(date.trim()) : undefined;
    if (iso !== undefined) return iso;
  }
  return undefined;
}

/** A time without a zone gives its date alone. Year 1 is the default of some programs. */
function isoDate(text: string): string | undefined {
  const [, date, zone] = /^((?!0001)\d{4}-\d\d-\d\d)(?:[T ]\d\d:\d\d[\d:.]*\s?(Z|[+-]\d\d:?\d\d)?)?$/i.exec(text) ?? [];
  const time = Date.parse(zone === undefined ? (date ?? "") : text);
  if (date === undefined || Number.isNaN(time)) return undefined;
  return zone === undefined ? date : new Date(time).toISOString().replace(/\.\d+Z$/, "Z");
}

/** A text of JSON-LD, or the property `name` of an object; empty if there is neither. */
function textOf(value: unknown, name: string): string {
  const text = typeof value === "object" && value !== null ? (value as Thing)[name] : value;
  return typeof text === "string" ? text : "";
}
