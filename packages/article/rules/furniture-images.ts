import { closestOf, type DomElement, elementsOf, hasText } from "../document/dom.ts";
import { classOf } from "../document/element-names.ts";
import { decodeUrlPart } from "../document/link-target.ts";
import { blocks, isContent, linesOf } from "./edge-lines.ts";
import type { ArticleRule } from "./rule.ts";

/**
 * Removes images that belong to the design of a site, by URL, class and alternative text: portraits of users, icons, and at the
 * edges of the article or in links also logos, badges and "Listen on". Images with a caption or a description stay.
 */
export const furnitureImages: ArticleRule = {
  name: "furniture-images",
  apply(article, { images }) {
    if (!images) return;
    const parts = elementsOf(article, `${blocks},img`);
    const lines = linesOf(article).filter(isContent);
    const placeOf = (line: DomElement | undefined) => (line ? parts.indexOf(line) : -1);
    const [first, last] = [placeOf(lines.at(0)), placeOf(lines.at(-1))];
    for (const [place, image] of parts.entries()) {
      if (image.localName !== "img" || isDescribed(image)) continue;
      const isEdge = place < first || place > last || closestOf(image, "a") !== null;
      if (design.test(nameOf(image)) || (isEdge && emblem.test(nameOf(image)))) image.remove();
    }
  },
};

function isDescribed(image: DomElement): boolean {
  const figure = closestOf(image, "figure");
  return (figure !== null && hasText(figure)) || (image.getAttribute("alt") ?? "").length > maxNameLength;
}

/** The URL without its query, the class and the alternative text, with a space between them. */
function nameOf(image: DomElement): string {
  const [path = ""] = (image.getAttribute("src") ?? "").split(/[?#]/);
  return `${decodeUrlPart(path)} ${classOf(image)} ${image.getAttribute("alt") ?? ""}`;
}

const design =
  /(?:^|[\s/_-])(?:(?:user_)?avatars?|gravatar|sprites?)(?:$|[\s/_-])|\/(?:icons?|promos?|promotions?|ads?)\/|[_-]icons?(?:[\w-]*\.(?:svg|gif)|\.png)|\/(?:pinterest|facebook|twitter|whatsapp|instagram|linkedin)\.(?:png|svg|gif)|[/_-](?:arrow|chevron|caret|close|play)(?:[_-]\w+)*\.svg/i;
const emblem =
  /(?:^|[\s/_-])(?:logo(?:type)?|badge|head-?shot)s?(?:$|[\s/_.-])|listen (?:on|to)\b|app ?store|google ?play/i;
/** Characters. A longer alternative text describes a picture. */
const maxNameLength = 40;
