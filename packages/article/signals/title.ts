// SPDX-License-Identifier: MIT

import { withoutWww } from "@reading-list/core/domain/hosts.ts";
import { readThreadStart } from "../article/thread.ts";
import { type DomElement, findElements, toLetters, visibleText } from "../document/dom.ts";
import type { Page } from "../document/page.ts";
import { isShown } from "../document/visibility.ts";

/**
 * The article's title without the site's name: the `h1` that agrees with another title of the page; else, in this order,
 * the title for social networks, the headline in structured data, `<title>` and the first `h1`. Empty if the page has none of these.
 */
export function findTitle(page: Page): string {
  const thread = readThreadStart(page);
  if (thread?.title) return thread.title;
  const title = chooseTitle(page);
  return thread ? title.replace(threadLabel, "") : title;
}

/** The word that old boards put before the title of each thread. */
const threadLabel = /^(?:(?:view )?topic|thread|thema)\s*[:–-]\s+/i;

function chooseTitle(page: Page): string {
  const { document } = page;
  const siteNames = listSiteNames(page);
  const pageTitle = (document.querySelector("title")?.textContent ?? "").replace(/\s+/g, " ").trim();
  const sharedTitle = page.meta("og:title") || page.meta("twitter:title");
  const headline = findHeadline(page);
  const headings = findElements(document.body, "h1")
    .filter((heading) => isShown(heading) && !isLinkToHomePage(heading, page))
    .map(visibleText)
    .filter((text) => toLetters(text) !== "" && !siteNames.includes(toLetters(text)))
    .filter((text) => text.length <= maxTitleLength);
  const [first = ""] = headings;
  // The heading of a chapter, before the book's.
  const titleParts = pageTitle.split(separator);
  const [chapter = "", ...book] = titleParts;
  const isChapter = (heading: DomElement) => toLetters(visibleText(heading)) === toLetters(chapter);
  if (book.length > 0 && headings.includes(book.at(-1) ?? "") && findElements(document.body, "h1,h2").some(isChapter))
    return chapter;
  const heading =
    headings.find((text) => titleParts.some((part) => toLetters(part) === toLetters(text))) ??
    headings.find((text) => isStart(text, pageTitle)) ??
    headings.find((text) => [pageTitle, sharedTitle, headline].some((title) => agree(text, title)));
  if (heading !== undefined && heading !== pageTitle) return heading;
  const declared = homePages.has(sharedTitle.toLowerCase()) ? pageTitle : sharedTitle || headline || pageTitle;
  return withoutSiteName(heading ?? declared, siteNames, page.url.pathname === "/") || first;
}

/** Characters. A longer heading is a paragraph. */
const maxTitleLength = 200;

/** The headline in the structured data. Several different headlines belong to a list, so none is taken. */
function findHeadline({ structuredData }: Page): string {
  const headlines = structuredData.flatMap(({ headline }) => (typeof headline === "string" ? headline.trim() : []));
  const [headline = "", ...others] = new Set(headlines);
  return others.length === 0 ? headline.replace(/\s+/g, " ") : "";
}

/** Whether a heading is only a link to the home page: then it is the site's name. */
function isLinkToHomePage(heading: DomElement, page: Page): boolean {
  const link = heading.querySelector("a[href]") ?? heading.closest("a[href]");
  return link !== null && visibleText(link) === visibleText(heading) && page.leadsHome(link);
}

/** Whether a text is the start of another title, in whole words. */
function isStart(text: string, title: string): boolean {
  const words = splitWords(title);
  return toLetters(text).length >= minStartLength && splitWords(text).every((word, place) => word === words[place]);
}

const minStartLength = 3;

/** Whether two titles share at least three words and half of the words of the shorter one. */
function agree(one: string, other: string): boolean {
  const [words, otherWords] = [new Set(splitWords(one)), new Set(splitWords(other))];
  const shared = [...words].filter((word) => otherWords.has(word)).length;
  return shared >= minSharedWords && shared >= Math.min(words.size, otherWords.size) * maxShareOfWords;
}

const minSharedWords = 3;
const maxShareOfWords = 0.5;

/** The names of the site: declared names and parts of the host name. */
function listSiteNames(page: Page): string[] {
  const host = withoutWww(page.url.hostname);
  const names = [page.meta("og:site_name"), page.meta("application-name"), host];
  return [...names, host.split(".").at(-2) ?? "", host.split(".")[0] ?? ""].map(toLetters).filter(Boolean);
}

const separator = / [|–—\-·•»«:/] | ?[|»«] ?/;
const minTitleLength = 8;

/**
 * Removes the site's name from the start or end, and the text after a `|`, which is nearly always a site's name. Empty
 * if the title has no text before its first separator. A title that would say only "Home" keeps the site's name.
 */
function withoutSiteName(title: string, siteNames: readonly string[], isHome: boolean): string {
  if (/^[|–—-]\s/.test(title)) return "";
  const short = shortTitle(title, siteNames, isHome);
  // Some titles name the site twice, such as by its name and its host.
  if (short !== title && !homePages.has(short.toLowerCase())) return withoutSiteName(short, siteNames, isHome);
  return homePages.has(short.toLowerCase()) ? title : short;
}

const homePages = new Set(["home", "home page", "homepage", "startseite", "accueil", "inicio", "início", "главная"]);

function shortTitle(title: string, siteNames: readonly string[], isHome: boolean): string {
  const parts = title.split(separator);
  const [first = "", last = ""] = [parts[0], parts.at(-1)];
  if (parts.length === 1) return title;
  if (siteNames.includes(toLetters(last))) return title.slice(0, title.lastIndexOf(last)).replace(separatorAtEnd, "");
  // A home page is about the site: "Town News: all of the town".
  if (isHome && siteNames.includes(toLetters(first))) return title;
  if (siteNames.includes(toLetters(first))) return title.slice(first.length).replace(separatorAtStart, "");
  // The boards of a forum, from the thread up.
  if (parts.length > 2 && parts.every((part) => part === first || part.length < first.length)) return first;
  const bar = title.lastIndexOf("|");
  return bar >= minTitleLength ? title.slice(0, bar).trim() : title;
}

const separatorAtEnd = /(?<![\s|–—\-·•»«:])[\s|–—\-·•»«:]+$/;
const separatorAtStart = /^[\s|–—\-·•»«:]+/;

function splitWords(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
