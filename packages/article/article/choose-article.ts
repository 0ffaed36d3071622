// SPDX-License-Identifier: MIT

import { ChildLists } from "../document/child-lists.ts";
import { type DomDocument, type DomElement, newElement, visibleText } from "../document/dom.ts";
import { mainContainer } from "../document/main-container.ts";
import type { Page } from "../document/page.ts";
import { isMissing, measureContent } from "./content.ts";
import { findLandmarks, restoreLandmarks } from "./lost-content.ts";
import { readArticle } from "./read-article.ts";
import { declaredBody, TextSample } from "./text-sample.ts";
import { threadArticle } from "./thread.ts";

/** A page's article, and the way in which it was found. */
export interface Choice {
  article: DomElement;
  /**
   * - `thread`: the posts of a board
   * - `found`: the article that Readability finds
   * - `declared`: the element with the text that JSON-LD declares
   * - `container`: the element that the page marks as its content
   * - `text`: the declared text itself, which some pages have only in their structured data
   */
  by: "thread" | "found" | "declared" | "container" | "text";
}

/**
 * Chooses a page's article. Uses the article that Readability finds, unless it has less than half of the declared text,
 * or misses content of the main container. A container without that article is not chosen unless it is ten times as
 * long, because teasers are not an article. `prepare` brings the document into the form that Readability reads.
 */
export function chooseArticle(page: Page, prepare: () => void): Choice {
  const thread = threadArticle(page);
  if (thread !== undefined) return { article: thread, by: "thread" };
  prepare();
  const { document } = page;
  const container = mainContainer(document);
  const main = measureContent(container, page.type);
  const declared = declaredBody(page.structuredData);
  const landmarks = findLandmarks(document.body);
  const tree = new ChildLists(document.body);
  const { article, lostProse } = readArticle(document, page.type, tree);
  const found = measureContent(article, page.type);
  const sample = new TextSample(declared);
  const lacksDeclared = sample.shareIn(article) < half;
  const lacksContent = isMissing(found, main, page.type);
  if (lacksDeclared || lacksContent) {
    const text = new TextSample(article.textContent);
    const asFound = new ChildLists(article);
    tree.restore();
    const element = lacksDeclared ? sample.elementIn(document.body) : undefined;
    if (element !== undefined) return { article: element, by: "declared" };
    const isOther = text.shareIn(container) < half && found.prose * manyTimes >= main.prose;
    if (lacksContent && !isOther) return { article: container, by: "container" };
    asFound.restore();
  }
  if (declared === "" || visibleText(article).length >= minArticleLength) {
    lostProse.putBack(article);
    restoreLandmarks(article, landmarks, tree);
    return { article, by: "found" };
  }
  return { article: toParagraphs(declared, document), by: "text" };
}

const half = 0.5;
const manyTimes = 10;
/** Characters. */
const minArticleLength = 200;

function toParagraphs(text: string, document: DomDocument): DomElement {
  const paragraphs = text.split(/\n\s*\n|\r\n\s*\r\n/).map((paragraph) => paragraph.replace(/\s+/g, " ").trim());
  const shown = paragraphs.filter((paragraph) => paragraph !== "");
  return newElement(
    document,
    "div",
    shown.map((line) => newElement(document, "p", [document.createTextNode(line)])),
  );
}
