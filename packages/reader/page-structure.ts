import type { DomDocument } from "./dom.ts";
import { serializeChildren } from "./serialize.ts";

/** The markup of everything a page shows, for the `more` view; classes and scripts are gone, form controls as well. */
export function pageStructure(document: DomDocument, options: { images: boolean }): string {
  return serializeChildren(document.body, options);
}

/**
 * The page's structure together with the article that the `less` view shows. The article is a part of the structure on
 * nearly every page; the text of blocks that are not (they came from structured data, say) goes before.
 */
export function withArticle(structure: string, article: string): string {
  const shown = lettersOf(structure);
  const missing = blocksOf(article).filter((block) => !shown.includes(lettersOf(block)));
  return [...missing.map((block) => `<p>${textOf(block).trim()}</p>`), structure].join("\n");
}

const blockTag =
  /<\/?(?:p|div|li|h[1-6]|td|th|dt|dd|blockquote|figcaption|pre|section|article|br|tr|ul|ol|table)\b[^>]*>/;

function blocksOf(html: string): string[] {
  return html.split(blockTag);
}

function lettersOf(html: string): string {
  return textOf(html).replace(/\s+/g, "");
}

function textOf(html: string): string {
  return html.replace(/<[^>]*>/g, "");
}
