// SPDX-License-Identifier: MIT

import { closestThat, type DomElement, findClosest, findElements, hasText } from "../document/dom.ts";
import { readClass } from "../document/element-names.ts";
import { blocks, isSentence, textLines } from "../document/lines.ts";
import { decodeUrlPart } from "../document/link-target.ts";
import type { Rule } from "./rule.ts";

/**
 * Removes images of a site's design: by URL, class and alternative text portraits of users, icons, and before the first and
 * after the last sentence, in links and in rows of three also logos, badges and "Listen on"; images that the article had
 * before; drawings outside of paragraphs; and of a card all but the first that lead to its page. Removes after the last
 * sentence images that lead to another page: advertisements, thumbnails of other stories. Figures and images with a
 * description stay, and so does the first image of a card, which has a link with text to the same page, and images that lead
 * to an image or an album.
 */
export const furnitureImages: Rule = {
  name: "furniture-images",
  *apply(article, { images }) {
    if (!images) return;
    const lines = new Set(textLines(article));
    const parts = findElements(article, `${blocks},img`).filter((part) => part.localName === "img" || lines.has(part));
    const sentences = [...lines].filter(isSentence);
    const place = (line: DomElement | undefined) => (line === undefined ? -1 : parts.indexOf(line));
    const [first, last] = [place(sentences.at(0)), place(sentences.at(-1))];
    const isImage = (index: number) => parts[index]?.localName === "img";
    const named = new Set(findElements(article, "a").filter(hasText).map(readHref));
    const shown = new Set<string | null>();
    const leading = new Set<string>();
    for (const [index, image] of parts.entries()) {
      if (image.localName !== "img") continue;
      const source = image.getAttribute("src");
      const isInLine = closestThat(image, (around) => lines.has(around)) !== null;
      const isRepeated = source !== null && shown.has(source) && !isInLine;
      const link = findClosest(image, "a");
      const leads = link !== null && leadsElsewhere(link);
      const target = leads ? readHref(link) : null;
      const isSecond = target !== null && leading.has(target) && named.has(target);
      if (target !== null) leading.add(target);
      const isAfter = last >= 0 && index > last && !parts[last]?.contains(image);
      const isThumbnail = isAfter && leads && !named.has(target);
      const isEdge = isAfter || index < first || link !== null;
      const [before, next] = [isImage(index - 1), isImage(index + 1)];
      const isInRow = (before && (next || isImage(index - 2))) || (next && isImage(index + 2));
      const isEmblem = (isEdge || isInRow) && emblem.test(describeImage(image));
      const isOfDesign = isRepeated || isEmblem || design.test(describeImage(image)) || isIcon(image);
      if (isSecond || (isThumbnail ? findClosest(image, content) === null : isOfDesign && !isDescribed(image)))
        yield image;
      // A removed image does not count as a copy of the next one.
      if (article.contains(image)) shown.add(source);
    }
  },
};

/** Authors put a drawing into a paragraph or a figure. */
const isIcon = (image: DomElement) =>
  drawingFile.test(image.getAttribute("src") ?? "") && findClosest(image, "p,figure,table") === null;

function isDescribed(image: DomElement): boolean {
  const figure = findClosest(image, "figure");
  return (figure !== null && hasText(figure)) || (image.getAttribute("alt") ?? "").length > maxNameLength;
}

/** The URL without its query, the class and the alternative text, with a space between them. */
function describeImage(image: DomElement): string {
  const [path = ""] = (image.getAttribute("src") ?? "").split(/[?#]/);
  return `${decodeUrlPart(path)} ${readClass(image)} ${image.getAttribute("alt") ?? ""}`;
}

const design =
  // bounded: the process that reads a page is ended after a fixed time
  /(?:^|[\s/_-])(?:(?:user_)?avatars?|gravatar|sprites?)(?:$|[\s/_-])|\/(?:icons?|promos?|promotions?|ads?)\/|[_-]icons?(?:[\w-]{0,40}\.(?:svg|gif)|\.png)|\/(?:pinterest|facebook|twitter|whatsapp|instagram|linkedin)\.(?:png|svg|gif)|\/avw\.php|[/_-](?:arrow|chevron|caret|close|play)(?:[_-][\w-]{0,40})?\.svg/i;
const drawingFile = /\.svg(?:$|[?#])/i;
const emblem =
  /(?:^|[\s/_-])(?:logo(?:type)?|badge|head-?shot|author)s?(?:$|[\s/_.-])|listen (?:on|to)\b|app ?store|google ?play/i;
/** Characters. A longer alternative text describes a picture. */
const maxNameLength = 40;

const content = "h1,h2,h3,h4,h5,h6,pre,table,ul,ol,dl,figure";

const readHref = (link: DomElement) => link.getAttribute("href");

function leadsElsewhere(link: DomElement): boolean {
  const { baseURI, documentURI } = link.ownerDocument;
  const target = URL.parse(readHref(link) ?? "", baseURI);
  if (target === null || album.test(target.href) || link.getAttribute("rel")?.includes("attachment")) return false;
  return !target.href.startsWith(documentURI.replace(/[?#].*/, ""));
}

/** A file, an album, or a link that shares the image. */
const album = /\.(?:jpe?g|png|gif|webp|avif|svg)(?:$|\?)|\b(?:flickr|instagram|pinterest|wikimedia|imgur|500px)\./i;
