import { nameWordsOf } from "../element-names.ts";
import { proseLength } from "../prose.ts";
import type { ArticleRule } from "./rule.ts";

/**
 * For an article that is a whole container of the page: removes the parts of a site that surround content, named by
 * class or id, which Readability removes from what it finds by itself.
 */
export const siteParts: ArticleRule = {
  name: "site-parts",
  apply(article) {
    const most = proseLength(article) * mostProse;
    for (const element of article.querySelectorAll("[class],[id],aside,footer,header")) {
      if (!article.contains(element) || element.querySelector("h1") !== null || element.closest("blockquote") !== null)
        continue;
      if (isSitePart(element.localName, nameWordsOf(element)) && proseLength(element) <= most) element.remove();
    }
  },
};

const mostProse = 0.25;
const parts = new Set([
  ...[
    "footer",
    "fotter",
    "nav",
    "navbar",
    "navigation",
    "menu",
    "sidebar",
    "breadcrumb",
    "breadcrumbs",
    "skip",
    "masthead",
  ],
  ...["comments", "respond", "disqus", "cookie", "banner", "newsletter", "related", "recommended", "recommendations"],
  ...["pagination", "pager", "filter", "filters", "sort", "search", "login", "signin", "cart", "tooltip", "infotip"],
]);

function isSitePart(localName: string, words: readonly string[]): boolean {
  return localName === "aside" || localName === "footer" || words.some((word) => parts.has(word));
}
