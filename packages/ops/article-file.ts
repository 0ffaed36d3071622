// SPDX-License-Identifier: MIT

import { cleanAgain } from "@reading-list/article/view/sanitize.ts";
import { escapeXml } from "@reading-list/core/domain/escape.ts";
import type { KeptArticle } from "@reading-list/core/domain/kept-article.ts";
import { parseWebUrl } from "@reading-list/core/domain/page-fields.ts";
import { asChapter } from "@reading-list/core/use-cases/articles/make-book.ts";
import { parseObject } from "@reading-list/exchange/json-lines.ts";

/** The kept article of an item as a file of an archive: a page for browsers, which also holds all that is kept. */
export function writeArticleFile(url: string, article: KeptArticle): string {
  const { title, html } = asChapter(url, article, "less");
  const { less, ...others } = article;
  const kept = JSON.stringify(less === html ? others : article).replaceAll("<", "\\u003c");
  return `<!doctype html>
<html><head><meta charset="utf-8"><title>${escapeXml(title)}</title><link rel="canonical" href="${escapeXml(url)}">
${begin}${kept}</script></head><body>
<h1>${escapeXml(title)}</h1>
${html}
</body></html>
`;
}

/** Characters of a URL are the most. */
const maxTextLength = 4096;
const begin = '<script type="application/json" id="kept">';
const parts = new RegExp(`${begin}(.*)</script></head><body>\n<h1>[^<]*</h1>\n([\\s\\S]*)\n</body></html>\n?$`);

/**
 * The article of such a file; undefined if it is damaged. Anyone may have changed it, so its views are sanitised again.
 */
export function readArticleFile(text: string): Omit<KeptArticle, "timeAdded"> | undefined {
  const [, json, html] = parts.exec(text) ?? [];
  if (json === undefined || html === undefined) return undefined;
  const kept = parseObject(json);
  const readText = (name: string) =>
    typeof kept?.[name] === "string" ? kept[name].replaceAll(/\p{Cc}/gu, " ").slice(0, maxTextLength) : "";
  const readUrl = (name: string) => parseWebUrl(readText(name))?.href;
  const resolvedUrl = readUrl("resolvedUrl");
  if (!kept || resolvedUrl === undefined || !Number.isSafeInteger(kept.keptAt)) return undefined;
  const readView = (view: unknown) => (typeof view === "string" ? cleanAgain(view, resolvedUrl) : "");
  const [publishedAt] = /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\dZ)?$/.exec(readText("publishedAt")) ?? [];
  const [notice] = /^[\x20-\x7e]{1,200}$/.exec(readText("notice")) ?? [];
  return {
    less: readView(kept.less ?? html),
    more: readView(kept.more),
    title: readText("title"),
    resolvedUrl,
    nextUrl: readUrl("nextUrl"),
    loginFound: kept.loginFound === true,
    imageUrl: readUrl("imageUrl"),
    author: readText("author") || undefined,
    publishedAt,
    notice,
    keptAt: Number(kept.keptAt),
  };
}
