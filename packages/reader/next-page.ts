import type { DomDocument } from "./dom.ts";

/** The absolute http(s) URL of the next page of a multi-page article, on the same site; undefined where there is none. */
export function findNextPage(document: DomDocument): string | undefined {
  const page = new URL(document.documentURI);
  for (const link of document.querySelectorAll("link[rel][href],a[rel][href]")) {
    const relations = (link.getAttribute("rel") ?? "").toLowerCase().split(/\s+/);
    const target = URL.parse(link.getAttribute("href") ?? "", document.baseURI);
    if (relations.includes("next") && target !== null && target.origin === page.origin && target.href !== page.href) {
      return target.href;
    }
  }
  return undefined;
}
