// SPDX-License-Identifier: MIT

import {
  contains,
  findClosest,
  findElements,
  hasText,
  isElement,
  listChildren,
  moveChildren,
} from "../document/dom.ts";
import { readClass } from "../document/element-names.ts";
import { linkDensity } from "../document/prose.ts";
import type { Rule } from "./rule.ts";

/**
 * Copies the class and id of a box to the only paragraph in it, and makes such a paragraph of bare text. Readability makes one
 * element of the two, so the names that identify a caption or a newsletter would be lost.
 */
export const inheritedNames: Rule = {
  name: "inherited-names",
  apply(body) {
    for (const box of findElements(body, "div,section,aside")) {
      const name = `${readClass(box)} ${box.id}`.trim();
      if (name === "") continue;
      // Readability would remove the box of a paragraph that is a link.
      const isText = box.localName === "div" && !contains(box, blocks) && findClosest(box, "a") === null;
      if (isText && hasText(box) && linkDensity(box) <= fewLinks) box.appendChild(moveChildren(box, "p"));
      const [child, ...others] = listChildren(box).filter((node) => isElement(node) || hasText(node));
      if (others.length === 0 && child && isElement(child) && child.localName === "p")
        child.className = `${name} ${readClass(child)}`.trim();
    }
  },
};

const fewLinks = 0.25;
const blocks = new Set(
  "address,article,aside,blockquote,div,dl,figure,footer,form,h1,h2,h3,h4,h5,h6,header,hr,iframe,img,li,main,nav,ol,p,picture,pre,section,table,ul,video".split(
    ",",
  ),
);
