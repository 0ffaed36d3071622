// SPDX-License-Identifier: MIT

import type { DomElement } from "../document/dom.ts";
import { childrenOf, closestOf, contains, elementsOf, hasText, isElement, withChildrenOf } from "../document/dom.ts";
import type { Rule } from "./rule.ts";

/**
 * Copies the class and id of a box to the only paragraph in it, and wraps the bare text of a box in such a paragraph; copies
 * the names of an overlay to a box that has nothing else. Readability makes one element of the two, so the names that identify
 * a caption, a newsletter or an overlay would be lost.
 */
export const inheritedNames: Rule = {
  name: "inherited-names",
  apply(body) {
    const boxes = elementsOf(body, "div,section,aside");
    for (const box of boxes.toReversed()) {
      const inner = onlyChildOf(box);
      if (inner && overlay.test(`${inner.className} ${inner.id}`)) box.className += ` ${inner.className} ${inner.id}`;
    }
    for (const box of boxes) {
      if (box.className === "" && box.id === "") continue;
      const paragraph = onlyParagraphOf(box) ?? wrapBareText(box);
      if (paragraph !== undefined) {
        paragraph.className = [box.className, box.id, paragraph.className].filter((name) => name !== "").join(" ");
      }
    }
  },
};

const overlay = /popup|modal|lightbox/i;

/** Undefined if the box contains anything but text and inline elements. */
function wrapBareText(box: DomElement): DomElement | undefined {
  if (box.localName !== "div" || contains(box, blocks) || !hasText(box) || closestOf(box, "a") !== null)
    return undefined;
  const paragraph = withChildrenOf(box, "p");
  box.appendChild(paragraph);
  return paragraph;
}

const blocks = new Set(
  "address,article,aside,blockquote,div,dl,figure,footer,form,h1,h2,h3,h4,h5,h6,header,hr,iframe,img,li,main,nav,ol,p,picture,pre,section,table,ul,video".split(
    ",",
  ),
);

function onlyParagraphOf(box: DomElement): DomElement | undefined {
  const child = onlyChildOf(box);
  return child?.localName === "p" ? child : undefined;
}

function onlyChildOf(box: DomElement): DomElement | undefined {
  const [child, ...others] = childrenOf(box).filter((node) => isElement(node) || hasText(node));
  return child !== undefined && others.length === 0 && isElement(child) ? child : undefined;
}
