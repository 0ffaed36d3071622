// SPDX-License-Identifier: MIT

import type { DomElement, DomNode } from "../document/dom.ts";
import type { PageType } from "../document/page-type.ts";
import { proseLength } from "../document/prose.ts";

/** The context of a rule. */
export interface RuleContext {
  title: string;
  /** Names, as the page declares them. */
  authors: readonly string[];
  /** ISO 8601, as `Publication` has it. */
  publishedAt?: string | undefined;
  /** Whether the view shows images. */
  images: boolean;
  type: PageType;
}

/** A rule that prepares a page, or improves an article that was found, which still has its class names and ids. */
export interface Rule {
  name: string;
  /** Whether more than a name or shape tells that an element is no part of an article, so that the guard does not count it. */
  isCertain?: (element: DomElement) => boolean;
  /** Changes the tree below `root`, and yields the elements to remove. A rule itself removes no text. */
  apply(root: DomElement, context: RuleContext): Iterable<DomElement> | undefined;
}

/**
 * Applies rules in their order. The guard against a name or shape that deceives: an element with more than half of the prose
 * below `root` stays, and a rule that would remove more than five sixths of it in all is undone. If there is hardly any
 * prose, all text counts.
 */
export function applyRules(rules: readonly Rule[], root: DomElement, context: RuleContext): void {
  const prose = proseLength(root);
  const options = prose < littleProse ? { counts: () => true } : {};
  let all = prose < littleProse ? proseLength(root, options) : prose;
  for (const rule of rules) {
    const removed: { element: DomElement; place: DomNode }[] = [];
    let size = 0;
    for (const element of rule.apply(root, context) ?? []) {
      if (!root.contains(element)) continue;
      const own = rule.isCertain?.(element) ? 0 : proseLength(element, options);
      if (own > Math.max(all * maxShareOfOne, sentence)) continue;
      size += own;
      const place = element.ownerDocument.createTextNode("");
      element.replaceWith(place);
      removed.push({ element, place });
    }
    const isUndone = size > Math.max(all * maxShareOfAll, sentence);
    for (const { element, place } of removed) {
      if (isUndone) place.replaceWith(element);
      else place.remove();
    }
    if (!isUndone) all -= size;
  }
}

/** Characters. */
const littleProse = 200;
const sentence = 120;
const maxShareOfOne = 1 / 2;
const maxShareOfAll = 5 / 6;
