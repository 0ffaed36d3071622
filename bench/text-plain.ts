import { Readability } from "@mozilla/readability";
import { parseHTML } from "linkedom";
import { parse, serialize } from "parse5";

/** The extractor to compare with: Readability alone, on a tree repaired by parse5. */
export function extractPlainly(html: string, url: string): { html: string; title: string } {
  const { document } = parseHTML(serialize(parse(html))) as unknown as { document: object };
  Object.defineProperty(document, "baseURI", { value: url });
  Object.defineProperty(document, "documentURI", { value: url });
  const article = new Readability(document as never).parse();
  return { html: article?.content ?? "", title: article?.title ?? "" };
}
