// SPDX-License-Identifier: MIT

import {
  contains,
  type DomElement,
  elementsWith,
  findClosest,
  findElements,
  hasText,
  visibleText,
} from "../document/dom.ts";
import { isNamed, readClass } from "../document/element-names.ts";
import type { PageType } from "../document/page-type.ts";
import { proseLength } from "../document/prose.ts";

/** The size of an element's content. */
export interface Content {
  /** Characters of prose without comments, unless the page is a thread. */
  prose: number;
  /** List items, table rows and code blocks without links, and products with a price. */
  items: number;
  /** Characters of text, with links but without comments, unless the page is a thread. */
  text: number;
}

export function measureContent(element: DomElement, type: PageType): Content {
  const ignored = type === "thread" ? () => false : isComments;
  return {
    prose: proseLength(element, { ignored }),
    items: countItems(element),
    text: visibleText(element).length - measureParts(element, ignored),
  };
}

/** Characters of the outermost parts of an element that pass a test. */
function measureParts(element: DomElement, passes: (part: DomElement) => boolean): number {
  if (passes(element)) return visibleText(element).length;
  return [...element.children].reduce((sum, child) => sum + measureParts(child, passes), 0);
}

const isComments = (element: DomElement) => comments.test(`${readClass(element)} #${element.id}`);
const comments = /(?:^| )#?(?:comment|review)|#(?:respond|disqus_thread)$/i;

/**
 * Whether an article lacks content of the page's main container. On a declared article, Readability leaves out comments and
 * other stories, so the limits are low. On other pages (threads, documentation, services, products) it often leaves out
 * content, and lists and tables of short texts.
 */
export function isMissing(article: Content, main: Content, type: PageType): boolean {
  const text = article.text / main.text;
  if (main.prose < littleProse && main.text < littleText) return text < 0.8;
  if (main.prose === 0) return text < 0.5;
  const prose = article.prose / main.prose;
  const lacksItems = (min: number, share: number) => main.items >= min && article.items < main.items * share;
  if (article.text < 200 && prose < 0.5) return true;
  if (type === "article") return prose < 0.05 || lacksItems(20, 0.15);
  if (prose < 2 / 3) return true;
  if (type === "thread") return false;
  // If the article has most of the text, the rest is content, and not links.
  return (prose < 0.82 && text > 0.6) || lacksItems(5, 0.5);
}

/** Characters. A page with less is short as a whole: its prose, such as a line about cookies, proves nothing. */
const littleProse = 200;
const littleText = 1000;

function countItems(element: DomElement): number {
  const parts = elementsWith(element, "class,id").filter((part) => isNamed(part, partNames));
  const inParts = new Set(parts.flatMap((part) => [part, ...findElements(part, items)]));
  const plain = findElements(element, items).filter((item) => !inParts.has(item) && isItem(item));
  return plain.filter((item) => findClosest(item, notContent) === null && hasText(item)).length;
}

const isItem = (item: DomElement) =>
  !contains(item, "input") &&
  (!contains(item, "a,button") || (item.localName !== "pre" && price.test(visibleText(item))));
const price = /\p{Sc}\s?\d|\d\s?\p{Sc}/u;

const items = "li,tr,dt,pre";
const notContent = "nav,aside,footer,form,a";

/** The names of boxes whose items are not the content of the page. */
const partNames = new Set(
  "comment comments commentlist gallery slideshow carousel player settings menu related meta".split(" "),
);
