import type { DomDocument, DomElement } from "../dom.ts";

/** A rule that prepares a page before its article is looked for. */
export interface PageRule {
  name: string;
  apply(document: DomDocument): void;
}

/** What rules know of the article that they work on. */
export interface ArticleContext {
  title: string;
  /** Whether the view will show images. */
  images: boolean;
}

/** A rule that improves an article after it was found; class names and ids are still there. */
export interface ArticleRule {
  name: string;
  apply(article: DomElement, context: ArticleContext): void;
}
