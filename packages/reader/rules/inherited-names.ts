import { childrenOf, type DomElement, isElement, visibleText } from "../dom.ts";
import type { PageRule } from "./rule.ts";

/**
 * Gives a paragraph the class and id of the box that it alone stands in. Readability takes such paragraphs out of their
 * box, and the names that tell a newsletter box from a paragraph would be lost.
 */
export const inheritedNames: PageRule = {
  name: "inherited-names",
  apply(document) {
    for (const box of document.body.querySelectorAll("div[class],div[id],section[class],aside[class]")) {
      const paragraph = onlyParagraphOf(box);
      if (paragraph !== undefined) {
        paragraph.className = [box.className, box.id, paragraph.className].filter((name) => name !== "").join(" ");
      }
    }
  },
};

function onlyParagraphOf(box: DomElement): DomElement | undefined {
  const [child, ...others] = childrenOf(box).filter((node) => isElement(node) || visibleText(node) !== "");
  return child !== undefined && others.length === 0 && isElement(child) && child.localName === "p" ? child : undefined;
}
