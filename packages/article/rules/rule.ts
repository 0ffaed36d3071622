// SPDX-License-Identifier: MIT

import type { DomDocument, DomElement } from "../document/dom.ts";
import type { PageType } from "../document/page-type.ts";

/** A rule that prepares a page before Readability looks for the article. */
export interface PageRule {
  name: string;
  apply(document: DomDocument): void;
}

/** The context of an article rule. */
export interface ArticleContext {
  title: string;
  /** Names, as the page declares them. */
  authors: readonly string[];
  /** Whether the view shows images. */
  images: boolean;
  type: PageType;
}

/** A rule that improves an article after it was found. The article still has its class names and ids. */
export interface ArticleRule {
  name: string;
  apply(article: DomElement, context: ArticleContext): void;
}
