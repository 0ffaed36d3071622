import { closestOf, type DomElement, elementsOf, hasText } from "../document/dom.ts";
import { blocks, isContent, linesOf, neverJunk } from "./edge-lines.ts";
import type { ArticleRule } from "./rule.ts";

/**
 * Removes images after the last sentence of an article that lead to another page: advertisements, logos, thumbnails of other
 * stories. Figures stay, and so do images of cards, which have a link with text to the same page, and images that lead to an
 * image or an album.
 */
export const trailingImages: ArticleRule = {
  name: "trailing-images",
  apply(article, { images }) {
    const last = images ? linesOf(article).findLast(isContent) : undefined;
    if (last === undefined) return;
    const named = new Set(elementsOf(article, "a").filter(hasText).map(targetOf));
    const parts = elementsOf(article, `${blocks},img`);
    for (const image of parts.slice(parts.indexOf(last))) {
      if (image.localName !== "img" || last.contains(image) || closestOf(image, neverJunk) !== null) continue;
      const link = closestOf(image, "a");
      if (link !== null && !named.has(targetOf(link)) && leadsElsewhere(link)) image.remove();
    }
  },
};

const targetOf = (link: DomElement) => link.getAttribute("href");

function leadsElsewhere(link: DomElement): boolean {
  const { baseURI, documentURI } = link.ownerDocument;
  const target = URL.parse(targetOf(link) ?? "", baseURI);
  if (target === null || album.test(target.href) || link.getAttribute("rel")?.includes("attachment")) return false;
  return !target.href.startsWith(documentURI.replace(/[?#].*/, ""));
}

/** A file, an album, or a link that shares the image. */
const album = /\.(?:jpe?g|png|gif|webp|avif|svg)(?:$|\?)|\b(?:flickr|instagram|pinterest|wikimedia|imgur|500px)\./i;
