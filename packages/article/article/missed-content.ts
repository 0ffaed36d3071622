import type { DomDocument, DomElement } from "../document/dom.ts";
import { closestOf, contains, elementsOf, hasText, visibleText } from "../document/dom.ts";
import { classOf, isNamed } from "../document/element-names.ts";
import { mainContainer } from "../document/main-container.ts";
import type { PageType } from "../document/page-type.ts";
import { proseLength } from "../document/prose.ts";

/** The content of a page's main container, to compare with what Readability finds. */
export interface Content {
  type: PageType;
  /** Characters of prose without comments, unless the page is a thread. */
  prose: number;
  /** List items, table rows and code blocks without links. */
  items: number;
  /** Characters of text, with links. */
  text: number;
}

export function contentOf(document: DomDocument, type: PageType): Content {
  const main = mainContainer(document);
  return { type, prose: proseOf(main, type), items: itemsOf(main), text: visibleText(main).length };
}

/**
 * Whether an article that Readability found lacks the page's content. On a declared article, Readability leaves out
 * comments and other stories, so the limits are low. On other pages (threads, documentation, services, products) it often
 * leaves out content.
 */
export function missesContent(article: DomElement, page: Content): boolean {
  const text = visibleText(article).length;
  if (page.prose <= 0) return text < page.text * halfOfText;
  const share = proseOf(article, page.type) / page.prose;
  const items = itemsOf(article);
  if (text < minArticleLength && share < halfOfText) return true;
  if (page.type === "article") {
    return share < minShareOfDeclaredArticle || (page.items >= manyItems && items < page.items * fewOfItems);
  }
  if (share < minShareOfOtherPage) return true;
  if (page.type === "thread") return false;
  const isMostText = text > page.text * maxShareOfText;
  return (share < nearlyAllProse && isMostText) || (page.items >= minItems && items < page.items * halfOfItems);
}

/** Characters. */
export const minArticleLength = 200;
const halfOfText = 0.5;
const minShareOfDeclaredArticle = 1 / 20;
const minShareOfOtherPage = 2 / 3;
const nearlyAllProse = 0.82;
/** If the article has at least 60% of the container's text, the rest is content, and not links. */
const maxShareOfText = 0.6;
const minItems = 5;
const halfOfItems = 0.5;
const manyItems = 20;
const fewOfItems = 0.15;

/** Readability often drops lists and tables of short texts. */
function itemsOf(element: DomElement): number {
  const parts = [...element.querySelectorAll("[class],[id]")].filter((part) => isNamed(part, partNames));
  const inParts = new Set(parts.flatMap((part) => [part, ...elementsOf(part, items)]));
  const plain = elementsOf(element, items).filter((item) => !inParts.has(item) && !contains(item, "a,input,button"));
  return plain.filter((item) => closestOf(item, notContent) === null && hasText(item)).length;
}

const items = "li,tr,dt,pre";
const notContent = "nav,aside,footer,form,a";

/** The names of boxes whose items are not the content of the page. */
const partNames = new Set(
  "comment comments commentlist gallery slideshow carousel player settings menu related meta".split(" "),
);

const proseOf = (element: DomElement, type: PageType) =>
  proseLength(element, type === "thread" ? {} : { ignored: isComments });

const isComments = (element: DomElement) => comments.test(`${classOf(element)} #${element.id}`);
const comments = /(?:^| )#?(?:comment|review)|#(?:respond|disqus_thread)$/i;
