// SPDX-License-Identifier: MIT

/**
 * The page's structure, preceded by the blocks of the `less` view that the structure lacks, for example those from
 * structured data.
 */
export function withArticle(structure: string, article: string): string {
  const shown = textWithoutSpaces(structure);
  const missing = article.split(blockTag).filter((block) => !shown.includes(textWithoutSpaces(block)));
  return [...missing.map((block) => `<p>${withoutTags(block).trim()}</p>`), structure].join("\n");
}

const blockTag =
  // bounded: the process that reads a page is ended after a fixed time
  /<\/?(?:p|div|li|h[1-6]|td|th|dt|dd|blockquote|figcaption|pre|section|article|br|tr|ul|ol|table)\b[^<>]*>/;

function textWithoutSpaces(html: string): string {
  return withoutTags(html).replace(/\s+/g, "");
}

function withoutTags(html: string): string {
  return html.replace(/<[^<>]*>/g, "");
}
