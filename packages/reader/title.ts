import { type DomDocument, visibleText } from "./dom.ts";
import { metaContent, thingsOf } from "./structured-data.ts";
import { isShown } from "./visibility.ts";

/**
 * The article's title, without the site's name: the heading that agrees with what the page calls itself elsewhere, else
 * what it tells social networks, else its headline in structured data, else `<title>`, else its first heading. Empty where
 * the page has none.
 */
export function findTitle(document: DomDocument): string {
  const siteNames = siteNamesOf(document);
  const pageTitle = textOf(document, "title");
  const sharedTitle = metaContent(document, "og:title") || metaContent(document, "twitter:title");
  const headline = headlineOf(document);
  const headings = [...document.querySelectorAll("h1")]
    .filter(isShown)
    .map(visibleText)
    .filter((text) => lettersOf(text) !== "" && !siteNames.includes(lettersOf(text)));
  const [first = ""] = headings;
  return (
    headings.find((text) => isPartOf(text, pageTitle)) ??
    headings.find((text) => [pageTitle, sharedTitle, headline].some((title) => agree(text, title))) ??
    (withoutSiteName(sharedTitle || headline || pageTitle, siteNames) || first)
  );
}

/** The one headline of the page's structured data; several are those of a list. */
function headlineOf(document: DomDocument): string {
  const headlines = thingsOf(document).flatMap(({ headline }) => (typeof headline === "string" ? headline.trim() : []));
  const [headline = "", ...others] = new Set(headlines);
  return others.length === 0 ? headline.replace(/\s+/g, " ") : "";
}

/** Whether a title is the whole, the start in whole words, or a separate part of another. */
function isPartOf(text: string, title: string): boolean {
  const letters = lettersOf(text);
  const isStart = letters.length >= shortestStart && `${spacedWords(title)} `.startsWith(`${spacedWords(text)} `);
  return isStart || title.split(separator).some((part) => lettersOf(part) === letters);
}

const shortestStart = 3;

/** Two titles that share most of their words are wordings of one. */
function agree(one: string, other: string): boolean {
  const words = wordsOf(one);
  const otherWords = wordsOf(other);
  const shared = words.filter((word) => otherWords.includes(word)).length;
  return shared >= fewestSharedWords && shared >= Math.min(words.length, otherWords.length) * mostOfWords;
}

const fewestSharedWords = 3;
const mostOfWords = 0.5;

function textOf(document: DomDocument, selector: string): string {
  const element = document.querySelector(selector);
  return element === null ? "" : visibleText(element);
}

/** What the site calls itself, and the name in its host. */
function siteNamesOf(document: DomDocument): string[] {
  const host = new URL(document.documentURI).hostname.replace(/^www\./, "");
  const names = [metaContent(document, "og:site_name"), metaContent(document, "application-name"), host];
  return [...names, host.split(".").at(-2) ?? "", host.split(".")[0] ?? ""]
    .map(lettersOf)
    .filter((name) => name !== "");
}

const separator = /\s+[|–—\-·•»«:]\s+|\s*[|»«]\s*/;
const shortestTitle = 8;

/** Sites put their name first or last; what follows the last `|` is nearly always one, known or not. */
function withoutSiteName(title: string, siteNames: readonly string[]): string {
  const parts = title.split(separator);
  const [first = "", last = ""] = [parts[0], parts.at(-1)];
  if (parts.length === 1) return title;
  if (siteNames.includes(lettersOf(last))) return title.slice(0, title.lastIndexOf(last)).replace(separatorAtEnd, "");
  if (siteNames.includes(lettersOf(first))) return title.slice(first.length).replace(separatorAtStart, "");
  const bar = title.lastIndexOf("|");
  return bar >= shortestTitle ? title.slice(0, bar).trim() : title;
}

const separatorAtEnd = /[\s|–—\-·•»«:]+$/;
const separatorAtStart = /^[\s|–—\-·•»«:]+/;

/** Letters and digits alone, so that two spellings of a title compare equal. */
function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
}

function spacedWords(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

function wordsOf(text: string): string[] {
  return [...new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu))];
}
