// SPDX-License-Identifier: MIT

import { escapeText } from "@reading-list/core/domain/escape.ts";
import MarkdownIt from "markdown-it";
import { viewArticleMarkup } from "../view/article-markup.ts";
import type { PageView } from "../view/text-view.ts";
import { readFileName } from "./image.ts";

/** The view of a Markdown file. Its title is in the front matter, or else the heading that it begins with. */
export function viewMarkdown(text: string, url: string, options: { images: boolean }): PageView {
  const [frontMatter = "", properties = ""] = frontMatterAtStart.exec(text) ?? [];
  const markup = new MarkdownIt({ html: true, linkify: true }).render(text.slice(frontMatter.length));
  const [, named] = /^title:[ \t]*(["']?)(.+)\1[ \t]*$/m.exec(properties)?.slice(1) ?? [];
  const page = named === undefined ? markup : `<title>${escapeText(named.trim())}</title>${markup}`;
  const view = viewArticleMarkup(page, url, options);
  return { ...view, title: view.title || readFileName(url) };
}

const frontMatterAtStart = /^\ufeff?---[ \t]*\r?\n([\s\S]{0,20000}?)\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/;
