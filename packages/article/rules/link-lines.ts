import { anchorAttribute } from "../document/anchors.ts";
import { closestOf, contains, elementsOf, visibleText } from "../document/dom.ts";
import { linkDensity } from "../document/prose.ts";
import type { Rule } from "./rule.ts";

/**
 * Removes paragraphs that consist of a link: between the paragraphs of an article they advertise other stories. If more
 * than 15% of the article's text is in such paragraphs, they are its content and stay. List items and table cells stay.
 */
export const linkLines: Rule = {
  name: "link-lines",
  *apply(article) {
    const lines = elementsOf(article, "p").filter(
      (line) =>
        !contains(line, "p,li,img,pre,table") &&
        closestOf(line, "table,blockquote,li,dd") === null &&
        line.querySelector(`[${anchorAttribute}]`) === null,
    );
    const pointers = lines.filter((line) => {
      const length = visibleText(line).length;
      return length > 0 && length <= maxLineLength && linkDensity(line) > onlyLink;
    });
    const size = pointers.reduce((sum, line) => sum + visibleText(line).length, 0);
    if (size > visibleText(article).length * maxTextShare) return;
    yield* pointers;
  },
};

const maxLineLength = 160;
const onlyLink = 0.8;
const maxTextShare = 0.15;
