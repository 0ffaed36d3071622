import { type DomElement, visibleText } from "../dom.ts";
import { nameWordsOf } from "../element-names.ts";
import { linkDensity } from "../prose.ts";
import type { ArticleRule } from "./rule.ts";

/**
 * Removes parts of an article that their own class or id names as something else: share bars, newsletter boxes, lists of
 * related stories, bylines. Names are compared word by word. Headings stay, and so does a part with much of the article's
 * text, and everything once too much of the article would be gone.
 */
export const furnitureNames: ArticleRule = {
  name: "furniture-names",
  apply(article, { images }) {
    const content = images ? `${neverFurniture},img` : neverFurniture;
    const length = visibleText(article).length;
    let removable = length * mostOfAll;
    for (const element of article.querySelectorAll("[class],[id]")) {
      if (!article.contains(element) || keptElements.has(element.localName.toLowerCase())) continue;
      if (!isFurniture(element, content)) continue;
      const size = visibleText(element).length;
      if (size > length * mostOfOne || size > removable) continue;
      removable -= size;
      element.remove();
    }
  },
};

const mostOfOne = 0.25;
const mostOfAll = 0.5;
const keptElements = new Set(["table", "tbody", "tr", "td", "th", "h1", "h2", "h3", "h4", "h5", "h6"]);
/** What no byline or cookie notice holds; a box of further stories or an advertisement may. */
const neverFurniture = "pre,code,table";

/** Furniture whatever it holds. */
const strongNames = new Set([
  ...["share", "sharing", "shares", "social", "sharebar", "sharetools", "addthis", "sharethis", "followus"],
  ...["newsletter", "subscribe", "subscription", "signup", "optin", "paywall", "donate", "cta"],
  ...["related", "recommended", "recommendations", "recirc", "trending", "popular", "readmore", "outbrain", "taboola"],
  ...[
    "advert",
    "adverts",
    "advertisement",
    "advertising",
    "ads",
    "adsense",
    "promo",
    "promos",
    "promotion",
    "sponsored",
  ],
]);

/** Furniture unless it holds what is content by its kind. */
const weakNames = new Set([
  ...["breadcrumb", "breadcrumbs", "byline", "bylines", "timestamp", "dateline", "postmeta", "postinfo", "bio"],
  ...["tags", "taglist", "copyright", "attribution", "citation"],
  ...["cookie", "cookies", "consent", "popup", "modal", "tooltip", "login", "gallery", "slideshow", "carousel"],
]);

/** Furniture where it is made of links. */
const linkNames = new Set(["toolbar", "menu", "subnav", "navigation"]);
const mostlyLinks = 0.5;

/** Names of two words, either of which is harmless alone. */
const furniturePairs = [
  "author bio",
  "author box",
  "about author",
  "entry meta",
  "post meta",
  "article meta",
  "read more",
];

const inlineElements = new Set(["a", "abbr", "b", "cite", "code", "em", "i", "mark", "q", "small", "span", "strong"]);

/** A word within a sentence is part of it, whatever its element is called. */
function isInSentence(element: DomElement): boolean {
  return (
    inlineElements.has(element.localName.toLowerCase()) && element.closest("p,li,dd,td,h1,h2,h3,h4,h5,h6") !== null
  );
}

function isFurniture(element: DomElement, content: string): boolean {
  if (isInSentence(element) || element.closest("pre,code,blockquote") !== null) return false;
  const words = nameWordsOf(element);
  if (words.some((word) => strongNames.has(word))) return true;
  if (words.some((word) => linkNames.has(word)) && linkDensity(element) >= mostlyLinks) return true;
  const joined = words.join(" ");
  const isWeak = words.some((word) => weakNames.has(word)) || furniturePairs.some((pair) => joined.includes(pair));
  return isWeak && element.querySelector(content) === null;
}
