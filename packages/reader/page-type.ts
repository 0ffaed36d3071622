import type { DomDocument } from "./dom.ts";
import { metaContent, type Thing, typesOf } from "./structured-data.ts";

/**
 * Whether a page says of itself that it is one article: in Open Graph, a publication time, or JSON-LD. Threads of a
 * forum often carry the same marks, but say what they are as well.
 */
export function declaresArticle(document: DomDocument, things: readonly Thing[]): boolean {
  const types = things.flatMap(typesOf);
  if (types.some((type) => threadTypes.has(type))) return false;
  return (
    metaContent(document, "og:type").toLowerCase() === "article" ||
    metaContent(document, "article:published_time") !== "" ||
    types.some((type) => articleType.test(type))
  );
}

const threadTypes = new Set(["DiscussionForumPosting", "QAPage", "Question", "FAQPage"]);
const articleType = /Article$|^(?:Live)?BlogPosting$|^Report$/;
