// SPDX-License-Identifier: MIT

import { type DomElement, type DomNode, findElements, headingLevel, headingNames, toLetters } from "../document/dom.ts";
import { textLines } from "../document/lines.ts";
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
  /**
   * Whether more than a name or shape shows that an element is not part of an article, so that the guard does not count
   * it.
   */
  isCertain?: (element: DomElement) => boolean;
  /** Whether the rule removes only copies. The guard does not count them, because `cleanArticle` proves that a copy remains. */
  removesCopies?: boolean;
  /** Changes the tree below `root`, and yields the elements to remove. A rule itself removes no text. */
  apply(root: DomElement, context: RuleContext): Iterable<DomElement> | undefined;
}

/**
 * Applies rules in their order. The guard against a name or shape that deceives: an element with more than half of the prose
 * below `root` stays, and a rule that would remove more than five sixths of it in all is undone. If there is hardly any
 * prose, all text counts.
 */
export function applyRules(rules: readonly Rule[], root: DomElement, context: RuleContext): Removal[] {
  const copies: Removal[] = [];
  const prose = proseLength(root);
  const options = prose < littleProse ? { counts: () => true } : {};
  let all = prose < littleProse ? proseLength(root, options) : prose;
  for (const rule of rules) {
    const removed: Removal[] = [];
    let size = 0;
    for (const element of rule.apply(root, context) ?? []) {
      if (!root.contains(element)) continue;
      const own = rule.removesCopies || rule.isCertain?.(element) ? 0 : proseLength(element, options);
      if (own > Math.max(all * maxShareOfOne, sentence)) continue;
      size += own;
      removed.push(take(element));
    }
    const isUndone = size > Math.max(all * maxShareOfAll, sentence);
    for (const { element, place } of removed) {
      if (isUndone) place.replaceWith(element);
      else if (!rule.removesCopies) place.remove();
    }
    if (rule.removesCopies) copies.push(...removed);
    if (!isUndone) all -= size;
  }
  return copies;
}

/**
 * Applies rules to an article that was found. Elements that were removed as copies are put back if other rules left no copy
 * of them; then the other rules judge them. These may remove the last copy again, so that the next one is put back; after
 * some rounds, it stays.
 */
export function cleanArticle(rules: readonly Rule[], article: DomElement, context: RuleContext): void {
  let copies = applyRules(rules, article, context);
  const others = rules.filter(({ removesCopies }) => !removesCopies);
  for (let round = 1; copies.length > 0; round++) {
    const left = putBackLost(copies, article);
    if (left === undefined || round === maxRounds) break;
    applyRules(others, article, context);
    copies = left;
  }
}

const maxRounds = 3;

/** An element that was removed, and the empty node in its place. */
interface Removal {
  element: DomElement;
  place: DomNode;
}

/**
 * Puts back the lines and pictures of removed copies that an article lacks, the last removed copy first: it may hold others.
 * Returns the parts that are still removed, or undefined if the article lacks none.
 */
function putBackLost(copies: readonly Removal[], article: DomElement): Removal[] | undefined {
  const kept = new Shown(article);
  const left: Removal[] = [];
  let isChanged = false;
  for (const { element, place } of copies.toReversed()) {
    const parts = [...textLines(element), ...findElements(element, "img")];
    const lost = new Set((parts.length === 0 ? [element] : parts).filter((part) => !kept.has(part)));
    if (lost.size === 0 || !article.contains(place)) {
      left.push({ element, place });
      continue;
    }
    for (const part of parts)
      if (!lost.has(part) && !findElements(part, "img").some((image) => lost.has(image))) left.push(take(part));
    kept.add(element);
    place.replaceWith(element);
    isChanged = true;
  }
  return isChanged ? left.toReversed() : undefined;
}

/** Removes an element, and leaves an empty node in its place. */
export function take(element: DomElement): Removal {
  const place = element.ownerDocument.createTextNode("");
  element.replaceWith(place);
  return { element, place };
}

/** The visible content of an article. */
class Shown {
  #text = "";
  readonly #headings = new Set<string>();
  readonly #images = new Set<string | null>();

  constructor(article: DomElement) {
    this.add(article);
  }

  add(element: DomElement): void {
    this.#text += toLetters(element.textContent);
    for (const heading of findElements(element, headingNames)) this.#headings.add(toLetters(heading.textContent));
    for (const image of findElements(element, "img")) this.#images.add(image.getAttribute("src"));
  }

  has(part: DomElement): boolean {
    if (part.localName === "img") return this.#images.has(part.getAttribute("src"));
    const letters = toLetters(part.textContent);
    return headingLevel(part) > 0 ? this.#headings.has(letters) : this.#text.includes(letters);
  }
}

/** Characters. */
const littleProse = 200;
const sentence = 120;
const maxShareOfOne = 1 / 2;
const maxShareOfAll = 5 / 6;
