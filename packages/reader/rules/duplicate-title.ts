import { lettersOf, visibleText } from "../document/dom.ts";
import type { ArticleRule } from "./rule.ts";

/** Removes the first heading if it repeats the title, which the view returns in a header of its own. */
export const duplicateTitle: ArticleRule = {
  name: "duplicate-title",
  apply(article, { title }) {
    const heading = article.querySelector("h1,h2,h3,h4,h5,h6");
    if (heading === null || lettersOf(title) === "" || lettersOf(visibleText(heading)) !== lettersOf(title)) return;
    heading.remove();
  },
};
