import type { DomDocument } from "./dom.ts";
import { serializeChildren } from "./serialize.ts";

/** The markup of everything a page shows, for the `more` view; classes and scripts are gone, form controls as well. */
export function pageStructure(document: DomDocument, options: { images: boolean }): string {
  return serializeChildren(document.body, options);
}

/**
 * The page's structure together with the article that the `less` view shows. The article is a part of the structure on
 * nearly every page; where it is not (it came from structured data, say), it goes before.
 */
export function withArticle(structure: string, article: string): string {
  const shown = lettersOf(structure);
  const isShown = blocksOf(article).every((block) => shown.includes(lettersOf(block)));
  return isShown ? structure : `${article}\n${structure}`;
}

const blockTag =
  /<\/?(?:p|div|li|h[1-6]|td|th|dt|dd|blockquote|figcaption|pre|section|article|br|tr|ul|ol|table)\b[^>]*>/;

function blocksOf(html: string): string[] {
  return html.split(blockTag);
}

function lettersOf(html: string): string {
  return html.replace(/<[^>]*>/g, "").replace(/\s+/g, "");
}
