// SPDX-License-Identifier: MIT

import {
  contains,
  type DomElement,
  type DomNode,
  elementsWith,
  headingNames,
  isElement,
  listChildren,
} from "../document/dom.ts";
import { readClass } from "../document/element-names.ts";
import { isProse } from "../document/prose.ts";
import { isIntroduction, lostAttribute } from "../rules/linked-cards.ts";
import { take } from "../rules/rule.ts";

/**
 * The paragraphs of prose in boxes that Readability removes because of their shape, such as a card with a picture and a
 * button, or because of a part of a name, such as `overflow-hidden`. They keep the names of their boxes, by which the
 * rules judge them.
 */
export class LostProse {
  /** By the empty text in the place of each box. */
  readonly #copies = new Map<DomNode, readonly DomElement[]>();

  /** Copies the paragraphs of a box that is removed next. The boxes in it may have been removed before. */
  add(box: DomElement): void {
    const copies: DomElement[] = [];
    this.#collect(box, { names: "", card: "" }, copies);
    if (copies.length === 0) return;
    const place = box.ownerDocument.createTextNode("");
    box.parentElement?.insertBefore(place, box);
    this.#copies.set(place, copies);
  }

  /** Puts the paragraphs into the places of their boxes, as far as an article has these. */
  putBack(article: DomElement): void {
    for (const [place, copies] of this.#copies) if (article.contains(place)) place.replaceWith(...copies);
  }

  /** Takes the paragraphs out again, so that `putBack` puts each into its own place. */
  takeOut(article: DomElement): void {
    this.#copies.clear();
    for (const copy of elementsWith(article, lostAttribute)) {
      this.#copies.set(take(copy).place, [copy]);
    }
  }

  #collect(node: DomNode, around: { names: string; card: string }, copies: DomElement[]): void {
    if (!isElement(node)) {
      for (const copy of this.#copies.get(node) ?? []) copies.push(copy);
      return;
    }
    const names = `${around.names} ${readClass(node)} ${node.id}`.trim().slice(-maxNamesLength);
    const name = node.localName.toLowerCase();
    // A link without a heading is a line of links.
    if (name === "a" && !contains(node, headingNames)) return;
    const card = around.card || (name === "a" || isIntroduction(node) ? name : "");
    if (name !== "p" || contains(node, "p")) {
      for (const child of listChildren(node)) this.#collect(child, { names, card }, copies);
      return;
    }
    if (!isProse(node)) return;
    const copy = node.cloneNode(true);
    copy.className = names;
    copy.setAttribute(lostAttribute, card);
    copies.push(copy);
  }
}

/** Characters; more than most pages have. It bounds the work on a hostile page. */
const maxNamesLength = 500;
