// SPDX-License-Identifier: MIT

import { escapeHtml, escapeText } from "@reading-list/core/domain/escape.ts";
import { DomUtils, parseDocument } from "htmlparser2";
import { writeParagraphs } from "../document/paragraphs.ts";
import { closed, toIsoTime, viewArticleMarkup } from "../view/article-markup.ts";
import type { PageView } from "../view/text-view.ts";

/** A feed in any format. Texts are plain, `content` is HTML; each may be empty. */
export interface Feed {
  title: string;
  description: string;
  language: string;
  items: FeedItem[];
}

interface FeedItem {
  title: string;
  url: string;
  author: string;
  /** As the feed writes it. */
  date: string;
  content: string;
}

/** Items of a feed that its view lists. */
const maxItems = 500;

/** The view of a feed: its items with their titles as headings that link to them. */
export function viewFeed(
  { title, description, language, items }: Feed,
  url: string,
  options: { images: boolean },
): PageView {
  const shown = items.slice(0, maxItems).map(itemMarkup);
  const intro = description === "" || description === title ? "" : `<p>${escapeText(description)}</p>`;
  const page = `<html lang="${escapeHtml(language)}"><title>${escapeText(title)}</title><body>${intro}${shown.join("\n")}`;
  const view = viewArticleMarkup(page, url, options);
  return items.length > maxItems
    ? { ...view, notice: `the feed has more than ${maxItems} items; the rest is left out` }
    : view;
}

function itemMarkup({ title, url, author, date, content }: FeedItem): string {
  const name = escapeText(title || url);
  const heading = url === "" ? name : `<a href="${escapeHtml(url)}">${name}</a>`;
  const byline = [author, toIsoTime(date)?.slice(0, "2026-05-01".length) ?? ""]
    .filter(Boolean)
    .map(escapeText)
    .join(" · ");
  return `<section><h2>${heading}</h2>${byline && `<p><small>${byline}</small></p>`}<div>${closed(content)}</div></section>`;
}

/** The start of a feed's document, behind the XML declaration, comments and processing instructions. */
const feedStart = /^\s*(?:<(?:\?|!doctype)[^>]*>\s*|<!--(?:(?!-->)[\s\S])*-->\s*)*<(?:\w+:)?(?:rss|feed|rdf)[\s>]/i;
const startLength = 4096;

export const isFeed = (text: string): boolean => feedStart.test(text.slice(0, startLength));

/** Parses RSS 0.9 to 2.0 and Atom, even if the XML is malformed. Uses the common prefixes of namespaces. */
export function parseFeed(xml: string): Feed {
  const root = elementsIn(parseDocument(xml, { xmlMode: true })).at(0);
  const channel = root && (findChild(root, "channel") ?? root);
  const text = (name: string) => (channel ? childText(channel, name) : "");
  // In RSS 1.0 the items are beside the channel.
  const items = [...new Set([root, channel])].flatMap((parent) => (parent ? elementsIn(parent) : []));
  return {
    title: text("title"),
    description: text("description") || text("subtitle"),
    language: text("language") || (root?.attribs["xml:lang"] ?? ""),
    items: items.filter(({ name }) => name === "item" || name === "entry").map(readItem),
  };
}

type XmlNode = ReturnType<typeof parseDocument>["children"][number];
type XmlElement = Extract<XmlNode, { attribs: unknown }>;

const elementsIn = ({ children }: { children: XmlNode[] }): XmlElement[] =>
  children.filter((node): node is XmlElement => "attribs" in node);

const findChild = (parent: XmlElement, name: string): XmlElement | undefined =>
  elementsIn(parent).find((child) => child.name === name);

function readItem(item: XmlElement): FeedItem {
  const links = elementsIn(item).filter(({ name }) => name === "link");
  const link = links.find(({ attribs: { rel = "alternate" } }) => rel === "alternate");
  const permalink = findChild(item, "guid")?.attribs.isPermaLink === "false" ? "" : childText(item, "guid");
  const person = findChild(item, "author");
  const content = contentNames
    .map((name) => findChild(item, name))
    .find((child) => child && childMarkup(child).trim() !== "");
  return {
    title: childText(item, "title"),
    url: link ? (link.attribs.href ?? DomUtils.textContent(link).trim()) : permalink,
    author: childText(item, "dc:creator") || (person ? childText(person, "name") : "") || childText(item, "author"),
    date: ["published", "pubDate", "dc:date", "updated"].map((name) => childText(item, name)).find(Boolean) ?? "",
    content: content ? childMarkup(content) : "",
  };
}

/** The whole content before its summary. */
const contentNames = ["content:encoded", "content", "description", "summary", "itunes:summary"];

/** The HTML of a content: XHTML as it is, plain text as paragraphs, else escaped HTML, or HTML in CDATA. */
function childMarkup(content: XmlElement): string {
  if (content.attribs.type === "xhtml") return DomUtils.getInnerHTML(content);
  const text = DomUtils.textContent(content);
  return content.attribs.type !== "text" && /<[a-z!/]|&#?\w+;/i.test(text) ? text : writeParagraphs(text);
}

/** The text of a child. In titles escaped HTML is more frequent than a tag that is meant as text. */
function childText(parent: XmlElement, name: string): string {
  const child = findChild(parent, name);
  if (child === undefined) return "";
  const text = DomUtils.textContent(child);
  const isMarkup = child.attribs.type === "html" || markupInTitle.test(text);
  return (isMarkup ? DomUtils.textContent(parseDocument(text)) : text).replace(/\s+/g, " ").trim();
}

const markupInTitle = /&#?\w+;|<\/?(?:b|i|em|strong|code|a|br|span|su[bp])\b/i;
