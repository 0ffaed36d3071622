// SPDX-License-Identifier: MIT

import { Readability } from "@mozilla/readability";
import { parseHTML } from "linkedom";

/** The extractor to compare with: only Readability, with linkedom's own parser. */
export function extractPlainly(html: string, url: string): { html: string; title: string } {
  const { document } = parseHTML(html) as unknown as { document: object };
  Object.defineProperty(document, "baseURI", { value: url });
  Object.defineProperty(document, "documentURI", { value: url });
  const article = new Readability(document as never).parse();
  return { html: article?.content ?? "", title: article?.title ?? "" };
}
