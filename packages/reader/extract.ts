import { Readability } from "@mozilla/readability";
import type { DomDocument, DomElement } from "./dom.ts";
import { serializeChildren } from "./serialize.ts";

/** The markup of a page's main article; empty where there is none. Takes the document apart. */
export function extractArticle(document: DomDocument): string {
  const article = new Readability<DomElement>(document as never, { serializer: (node) => node as never }).parse();
  return article?.content ? serializeChildren(article.content) : "";
}
