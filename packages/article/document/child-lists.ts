// SPDX-License-Identifier: MIT

import { type DomElement, type DomNode, isElement, listChildren } from "./dom.ts";
import type { PageElement } from "./page-element.ts";

/** The tree below an element with its nodes, to undo later moves and removals. */
export class ChildLists {
  readonly #lists: { element: DomElement; children: readonly DomNode[] }[] = [];

  constructor(root: DomElement) {
    const pending = [root];
    for (let element = pending.pop(); element !== undefined; element = pending.pop()) {
      const children = listChildren(element);
      this.#lists.push({ element, children });
      for (const child of children) if (isElement(child)) pending.push(child);
    }
  }

  /** Attributes stay as they are now. */
  restore(): void {
    for (const { element, children } of this.#lists) {
      // Readability's score of the element.
      (element as Partial<PageElement>).readability = undefined;
      if (hasChildren(element, children)) continue;
      while (element.firstChild !== null) element.firstChild.remove();
      for (const child of children) element.appendChild(child);
    }
  }
}

function hasChildren(element: DomElement, children: readonly DomNode[]): boolean {
  let next = element.firstChild;
  for (const child of children) {
    if (child !== next) return false;
    next = child.nextSibling;
  }
  return next === null;
}
