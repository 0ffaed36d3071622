// SPDX-License-Identifier: MIT

import { type ChainedNode, endLink, nextLink } from "./node-chain.ts";

/** The part of the DOM that the reader uses. `parse-page.ts` creates a document. */

export interface DomNode {
  readonly nodeType: number;
  /** Null for a document. */
  readonly ownerDocument: DomDocument | null;
  readonly parentElement: DomElement | null;
  readonly childNodes: Iterable<DomNode>;
  readonly firstChild: DomNode | null;
  readonly lastChild: DomNode | null;
  readonly nextSibling: DomNode | null;
  readonly previousSibling: DomNode | null;
  textContent: string;
  remove(): void;
  replaceWith(...nodes: DomNode[]): void;
}

export interface DomAttribute {
  value: string;
  readonly ownerElement: DomElement | null;
}

export interface DomElement extends DomNode {
  readonly ownerDocument: DomDocument;
  readonly localName: string;
  readonly children: ArrayLike<DomElement> & Iterable<DomElement>;
  readonly nextElementSibling: DomElement | null;
  readonly previousElementSibling: DomElement | null;
  id: string;
  className: string;
  getAttribute(name: string): string | null;
  getAttributeNames(): readonly string[];
  getAttributeNode(name: string): DomAttribute | null;
  setAttributeNode(attribute: DomAttribute): void;
  hasAttribute(name: string): boolean;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  querySelector(selector: string): DomElement | null;
  querySelectorAll(selector: string): Iterable<DomElement> & ArrayLike<DomElement>;
  closest(selector: string): DomElement | null;
  contains(node: DomNode): boolean;
  cloneNode(deep: boolean): DomElement;
  appendChild<T extends DomNode>(node: T): T;
  insertBefore<T extends DomNode>(node: T, before: DomNode | null): T;
}

export interface DomDocument {
  readonly documentElement: DomElement;
  readonly head: DomElement;
  readonly body: DomElement;
  readonly baseURI: string;
  readonly documentURI: string;
  createElement(name: string): DomElement;
  createTextNode(text: string): DomNode;
  createAttribute(name: string): DomAttribute;
  appendChild(node: DomElement): DomElement;
  querySelector(selector: string): DomElement | null;
  querySelectorAll(selector: string): Iterable<DomElement> & ArrayLike<DomElement>;
}

/** The names of the elements and attributes that a document has, or had, so that a search for other names need not walk it. */
export class KnownNames {
  /** Each in upper case, by the names in the letters with which they were created and in lower case. */
  readonly elements = new Map<string, string>();
  readonly attributes = new Set(["class"]);

  toTagName(name: string): string {
    let tagName = this.elements.get(name);
    if (tagName === undefined) {
      tagName = name.toUpperCase();
      this.elements.set(name, tagName);
      this.elements.set(name.toLowerCase(), tagName);
    }
    return tagName;
  }
}

const elementNode = 1;
const attributeNode = 2;
export const textNode = 3;

export function isElement(node: DomNode | null): node is DomElement {
  return node?.nodeType === elementNode;
}

/** A copy of the list of a node's children, so that a loop may change the tree. */
export function listChildren(node: DomNode): DomNode[] {
  const children: DomNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) children.push(child);
  return children;
}

/** A new element with these children. */
export function newElement(document: DomDocument, name: string, children: readonly DomNode[]): DomElement {
  const element = document.createElement(name);
  for (const child of children) element.appendChild(child);
  return element;
}

/** A new element with the children of another one. */
export const moveChildren = (source: DomElement, name: string): DomElement =>
  newElement(source.ownerDocument, name, listChildren(source));

/** Element names: a list like "p,li", or a set if it is used often. Both are faster than a selector, which linkedom compiles each time. */
type Names = string | ReadonlySet<string>;
function toSet(names: Names): ReadonlySet<string> {
  if (typeof names !== "string") return names;
  let set = sets.get(names);
  if (set === undefined) {
    set = new Set(names.split(","));
    sets.set(names, set);
  }
  return set;
}

/** By list: the lists are constants of the program. */
const sets = new Map<string, ReadonlySet<string>>();

/** Whether the document of a node has ever had an element or attribute with one of these names. */
function mayHave(node: DomNode, kind: "elements" | "attributes", names: ReadonlySet<string>): boolean {
  const known = (node as { known?: KnownNames }).known?.[kind];
  if (known === undefined) return true;
  for (const name of names) if (known.has(name)) return true;
  return false;
}

/** The name of an element in lower case. Readability creates elements with upper-case names. */
const lowerCaseName = ({ localName }: DomElement) =>
  localName.charCodeAt(0) < lowerA ? localName.toLowerCase() : localName;
const lowerA = "a".charCodeAt(0);

/*
 * The walks below are one loop each, and no loop that calls a function for each node: they visit all nodes of a page dozens of
 * times. A text has no end.
 */

/** Whether a node contains an element with one of these names. */
export function contains(root: DomNode, names: Names): boolean {
  const set = toSet(names);
  if (!mayHave(root, "elements", set)) return false;
  const { [nextLink]: start, [endLink]: end } = root as DomNode & ChainedNode;
  for (let node = end && start; node !== end; node = node?.[nextLink])
    if (isElementInChain(node) && set.has(lowerCaseName(node))) return true;
  return false;
}

/** The descendants of a node with one of these names, in order. */
export function findElements(root: DomNode, names: Names): DomElement[] {
  const set = toSet(names);
  const found: DomElement[] = [];
  if (!mayHave(root, "elements", set)) return found;
  const { [nextLink]: start, [endLink]: end } = root as DomNode & ChainedNode;
  for (let node = end && start; node !== end; node = node?.[nextLink])
    if (isElementInChain(node) && set.has(lowerCaseName(node))) found.push(node);
  return found;
}

/** The descendants of a node that pass a test, in order. */
export function elementsThat(root: DomNode, passes: (element: DomElement) => boolean): DomElement[] {
  const found: DomElement[] = [];
  const { [nextLink]: start, [endLink]: end } = root as DomNode & ChainedNode;
  for (let node = end && start; node !== end; node = node?.[nextLink])
    if (isElementInChain(node) && passes(node)) found.push(node);
  return found;
}

/** The descendants of a node with one of these attributes, in order. */
export function elementsWith(root: DomNode, attributes: Names): DomElement[] {
  const set = toSet(attributes);
  const found: DomElement[] = [];
  if (!mayHave(root, "attributes", set)) return found;
  const { [nextLink]: start, [endLink]: end } = root as DomNode & ChainedNode;
  for (let node = end && start; node !== end; node = node?.[nextLink]) {
    if (node?.nodeType !== attributeNode || !set.has(node.name ?? "")) continue;
    const { ownerElement } = node;
    if (ownerElement !== root && ownerElement !== found.at(-1)) found.push(ownerElement as DomElement);
  }
  return found;
}

const isElementInChain = (node: ChainedNode | undefined): node is DomElement & ChainedNode =>
  node?.nodeType === elementNode;

/** The nearest of an element and its ancestors that passes a test. */
export function closestThat(element: DomElement | null, passes: (one: DomElement) => boolean): DomElement | null {
  return element === null || passes(element) ? element : closestThat(element.parentElement, passes);
}

/** The nearest of an element and its ancestors with one of these names. */
export function findClosest(element: DomElement | null, names: Names): DomElement | null {
  const set = toSet(names);
  return closestThat(element, (one) => set.has(lowerCaseName(one)));
}

/** The nearest sibling of a node that is not white space. */
export function findBeside(node: DomNode, side: "previousSibling" | "nextSibling"): DomNode | null {
  let beside = node[side];
  while (beside?.nodeType === textNode && !hasText(beside)) beside = beside[side];
  return beside;
}

/** Whether a node has no sibling with text or media. The nearest siblings are looked at first: most nodes have such a one. */
export function isAlone(node: DomNode): boolean {
  const isEmpty = (sibling: DomNode) =>
    !hasText(sibling) && !contains(sibling, media) && !(isElement(sibling) && media.has(sibling.localName));
  for (let next = node.nextSibling; next !== null; next = next.nextSibling) if (!isEmpty(next)) return false;
  for (let before = node.previousSibling; before !== null; before = before.previousSibling)
    if (!isEmpty(before)) return false;
  return true;
}

export const headingNames = "h1,h2,h3,h4,h5,h6";

/** From 1 to 6; 0 for other elements. */
export const headingLevel = (element: DomElement | undefined): number =>
  Number(/^h([1-6])$/i.exec(element?.localName ?? "")?.[1] ?? 0);

const media = new Set(["img", "amp-img", "iframe", "embed", "video", "audio", "hr"]);

/** Letters and digits in lower case only, to compare texts without their punctuation. */
export function toLetters(text: string): string {
  const lower = text.toLowerCase();
  // Twice as fast for most texts.
  return ascii.test(lower) ? lower.replace(/[^a-z0-9]+/g, "") : lower.replace(/[^\p{L}\p{N}]+/gu, "");
}

const ascii = /^[\0-\x7f]*$/;

/** Whether a node has text; faster than to collect its text. */
export function hasText(node: DomNode): boolean {
  if (node.nodeType === textNode) return /\S/.test(node.textContent);
  const { [nextLink]: start, [endLink]: end } = node as DomNode & ChainedNode;
  for (let inner = end && start; inner !== end; inner = inner?.[nextLink])
    if (inner?.nodeType === textNode && /\S/.test((inner as DomNode & ChainedNode).textContent)) return true;
  return false;
}

/** The text of a node with white space collapsed and trimmed. */
export function visibleText(node: DomNode): string {
  return node.textContent.replace(/\s{2,}|[^\S ]/g, " ").trim();
}
