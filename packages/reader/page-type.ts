import type { DomDocument } from "./dom.ts";
import { metaContent, type Thing, typesOf } from "./structured-data.ts";

/**
 * Whether a page says of itself that it is one article: in Open Graph, a publication time, or JSON-LD. Threads of a
 * forum often carry the same marks, but say what they are as well.
 */
export function declaresArticle(document: DomDocument, things: readonly Thing[]): boolean {
  if (declaresThread(things)) return false;
  return (
    metaContent(document, "og:type").toLowerCase() === "article" ||
    metaContent(document, "article:published_time") !== "" ||
    things.flatMap(typesOf).some((type) => articleType.test(type))
  );
}

/** Whether a page says of itself that it is a thread or a list of questions, whose answers are content. */
export function declaresThread(things: readonly Thing[]): boolean {
  return things.flatMap(typesOf).some((type) => threadTypes.has(type));
}

const threadTypes = new Set(["DiscussionForumPosting", "QAPage", "Question", "FAQPage"]);
const articleType = /Article$|^(?:Live)?BlogPosting$|^Report$/;
