import { type DomDocument, visibleText } from "./dom.ts";
import { metaContent } from "./structured-data.ts";

/**
 * The article's title, without the site's name: a heading that agrees with `<title>`, else what the page tells social
 * networks, else `<title>`, else the first heading. Empty where the page has none.
 */
export function findTitle(document: DomDocument): string {
  const pageTitle = textOf(document, "title");
  const siteNames = siteNamesOf(document);
  const heading = [...document.querySelectorAll("h1")]
    .map(visibleText)
    .find((text) => text !== "" && wordsOf(pageTitle).includes(wordsOf(text)) && !siteNames.includes(wordsOf(text)));
  if (heading !== undefined) return heading;
  const shared = metaContent(document, "og:title") || metaContent(document, "twitter:title");
  return withoutSiteName(shared || pageTitle, siteNames) || textOf(document, "h1");
}

function textOf(document: DomDocument, selector: string): string {
  const element = document.querySelector(selector);
  return element === null ? "" : visibleText(element);
}

function siteNamesOf(document: DomDocument): string[] {
  const host = new URL(document.documentURI).hostname.replace(/^www\./, "");
  const names = [metaContent(document, "og:site_name"), metaContent(document, "application-name"), host];
  return [...names, host.split(".")[0] ?? ""].map(wordsOf).filter((name) => name !== "");
}

const separator = /\s+[|–—\-·•»«:]\s+|\s*[|»«]\s*/;

function withoutSiteName(title: string, siteNames: readonly string[]): string {
  const parts = title.split(separator);
  const last = parts.at(-1) ?? "";
  if (parts.length > 1 && siteNames.includes(wordsOf(last)))
    return title.slice(0, title.lastIndexOf(last)).replace(trailingSeparator, "");
  return title;
}

const trailingSeparator = /[\s|–—\-·•»«:]+$/;

/** Letters and digits alone, so that two spellings of a title compare equal. */
function wordsOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
}
