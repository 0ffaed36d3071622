// SPDX-License-Identifier: MIT

import { parseFragment, serialize } from "parse5";
import { linkWithin } from "../document/anchors.ts";
import { limitMarks } from "../document/combining-marks.ts";
import { findElements, headingNames, toLetters, visibleText } from "../document/dom.ts";
import { withDrawings } from "../document/drawings.ts";
import { findLanguage, withLanguage } from "../document/language.ts";
import { Page } from "../document/page.ts";
import { serializeChildren } from "../document/serialize.ts";
import { removeHidden } from "../document/visibility.ts";
import { sanitize } from "./sanitize.ts";
import { cutToLimit, type PageView, prepare } from "./text-view.ts";

/**
 * The view of HTML that is an article as a whole, such as rendered Markdown: nothing but hidden elements is removed. Its
 * title is `<title>`, or else its first element, if that is an `h1`.
 */
export function viewArticleMarkup(html: string, url: string, options: { images: boolean }): PageView {
  const page = new Page(html, url);
  const { document } = page;
  prepare(page, options);
  removeHidden(document);
  const [first] = document.body.children;
  const declared = findElements(document.head, "title").map(visibleText)[0] ?? "";
  const title = declared || (first?.localName === "h1" ? visibleText(first) : "");
  const [heading] = findElements(document.body, headingNames);
  if (title !== "" && heading !== undefined && toLetters(visibleText(heading)) === toLetters(title)) heading.remove();
  const clean = (markup: string) => sanitize(markup, { baseUrl: document.baseURI, images: options.images });
  const view = cutToLimit(clean(serializeChildren(document.body, options)), clean);
  return {
    html: withDrawings(limitMarks(withLanguage(linkWithin(view, page.url.href), findLanguage(document))), document),
    title: limitMarks(title),
    nextUrl: undefined,
    loginFound: false,
  };
}

/** Markup whose elements are all closed, and do not close elements around it. */
export const closed = (markup: string): string => serialize(parseFragment(markup, { scriptingEnabled: false }));

/** A time in ISO 8601, in UTC and without milliseconds; undefined if the text is not a time. */
export function toIsoTime(text: string): string | undefined {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString().replace(/\.\d+Z$/, "Z");
}
