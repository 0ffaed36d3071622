// SPDX-License-Identifier: MIT

import { createHash } from "node:crypto";
import { replaceImages } from "@reading-list/core/domain/article-pictures.ts";
import { escapeHtml, escapeXml } from "@reading-list/core/domain/escape.ts";
import { toSite } from "@reading-list/core/domain/hosts.ts";
import type { Item } from "@reading-list/core/domain/item.ts";
import { chooseView, type KeptArticle } from "@reading-list/core/domain/kept-article.ts";
import { element } from "./xml.ts";

const style = `
  :root { color-scheme: light dark; }
  body { font: 1.125rem/1.6 Georgia, serif; max-width: 38rem; margin: 0 auto; padding: 2rem 1rem 4rem; overflow-wrap: anywhere; }
  header, footer, li small { font: 0.875rem/1.5 system-ui, sans-serif; opacity: 0.75; }
  h1 { font-size: 1.75rem; line-height: 1.25; }
  img { max-width: 100%; height: auto; }
  figure, blockquote { margin-inline: 0; }
  blockquote { border-inline-start: 3px solid; padding-inline-start: 1rem; opacity: 0.9; }
  pre, table { overflow-x: auto; display: block; max-width: 100%; }
  ul.pages { list-style: none; padding: 0; }
  ul.pages li { margin-block: 1rem; }
  ul.pages small { display: block; }
`;

/** The page runs nothing, and loads nothing but its own pictures. */
export const sharedHeaders = {
  "Content-Security-Policy": `sandbox; default-src 'none'; img-src 'self'; style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'; form-action 'none'; base-uri 'none'`,
  "X-Content-Type-Options": "nosniff",
  "X-Robots-Tag": "noindex",
  "Referrer-Policy": "no-referrer",
};

interface PageParts {
  title: string;
  language?: string | undefined;
  head?: string;
  body: string;
}

const writePage = ({ title, language, head = "", body }: PageParts) =>
  `<!doctype html><html${language ? ` lang="${escapeHtml(language)}"` : ""}><head><meta charset="utf-8"><title>${escapeHtml(title)}</title><meta name="viewport" content="width=device-width"><meta name="robots" content="noindex">${head}<style>${style}</style></head><body>${body}</body></html>`;

/** A link to a page that a user has chosen. */
const link = (url: string, text: string) =>
  `<a rel="nofollow ugc" href="${escapeHtml(url)}" dir="auto">${escapeHtml(text)}</a>`;

/** Unix seconds as a day, such as `2026-11-28`. */
const writeDay = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 10);

/** The page of a shared article. `folder` is the path of its pictures, relative to the page. */
export function writeArticlePage(
  item: Item,
  article: KeptArticle,
  hashes: ReadonlyMap<string, string>,
  folder: string,
): string {
  const { html } = chooseView(article, { mode: article.less === "" ? "more" : "less", images: true });
  const pictured = replaceImages(html, (url, tag) => {
    const hash = hashes.get(url);
    return hash === undefined ? "" : tag.replace(/ src="[^"]*"/, () => ` src="${folder}/${hash}"`);
  });
  const title = item.title === item.url && article.title !== "" ? article.title : item.title;
  const facts = [toSite(item), article.author, article.publishedAt?.slice(0, 10)].filter(Boolean) as string[];
  return writePage({
    title,
    language: article.language,
    body: [
      `<header>${facts.map((fact) => `<span dir="auto">${escapeHtml(fact)}</span>`).join(" · ")}</header>`,
      `<main><h1 dir="auto">${escapeHtml(title)}</h1>`,
      // Text has no `<`, so that each of these begins a link.
      `<article dir="auto">${pictured.replaceAll("<a ", '<a rel="nofollow ugc" ')}</article></main>`,
      `<footer><p>${link(item.url, "Original page")}</p>${
        article.isSupplied ? "<p>A user of this service supplied this copy of the page.</p>" : ""
      }</footer>`,
    ].join(""),
  });
}

/** The page of a shared tag. `feed` is the address of its feed, relative to the page. */
export const writeTagPage = (tag: string, items: readonly Item[], feed: string): string =>
  writePage({
    title: tag,
    head: `<link rel="alternate" type="application/atom+xml" href="${escapeHtml(feed)}">`,
    body: `<main><h1 dir="auto">${escapeHtml(tag)}</h1><ul class="pages">${items
      .map(
        (item) =>
          `<li>${link(item.url, item.title)}<small><span dir="auto">${escapeHtml(toSite(item))}</span> · ${writeDay(item.timeAdded)}</small></li>`,
      )
      .join("")}</ul></main><footer><p><a href="${escapeHtml(feed)}">Feed</a></p></footer>`,
  });

/** The feed of a shared tag in Atom, at `address`. It names neither the user nor other tags. */
export function writeTagFeed(tag: string, items: readonly Item[], address: string): string {
  const text = (name: string, value: string) => element(name, escapeXml(value));
  const writeTime = (seconds: number) => new Date(seconds * 1000).toISOString();
  const entries = items.map((item) =>
    element(
      "entry",
      [
        text("title", item.title),
        text("id", `${address}#${item.itemId}`),
        text("updated", writeTime(item.timeAdded)),
        element("author", text("name", toSite(item))),
        element("link", "", { rel: "alternate", href: item.url }),
      ].join(""),
    ),
  );
  const head = [
    text("title", tag),
    text("id", address),
    text("updated", writeTime(items[0]?.timeAdded ?? 0)),
    element("link", "", { rel: "self", href: address }),
  ];
  const feed = element("feed", [...head, ...entries].join(""), { xmlns: "http://www.w3.org/2005/Atom" });
  return `<?xml version="1.0" encoding="UTF-8"?>${feed}`;
}
