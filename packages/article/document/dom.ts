// SPDX-License-Identifier: MIT

/** The part of the DOM that the reader uses. `parse-page.ts` creates a document. */

export interface DomNode {
  readonly nodeType: number;
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

export interface DomElement extends DomNode {
  readonly ownerDocument: DomDocument;
  readonly localName: string;
  readonly children: ArrayLike<DomElement> & Iterable<DomElement>;
  readonly nextElementSibling: DomElement | null;
  readonly previousElementSibling: DomElement | null;
  id: string;
  className: string;
  getAttribute(name: string): string | null;
  getAttributeNode(name: string): { readonly value: string } | null;
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
  querySelector(selector: string): DomElement | null;
  querySelectorAll(selector: string): Iterable<DomElement> & ArrayLike<DomElement>;
}

const elementNode = 1;
export const textNode = 3;

export function isElement(node: DomNode | null): node is DomElement {
  return node?.nodeType === elementNode;
}

/** A copy of the list of a node's children, so that a loop may change the tree. */
export const childrenOf = (node: DomNode): DomNode[] => [...node.childNodes];

/** A new element with these children. */
export function newElement(document: DomDocument, name: string, children: readonly DomNode[]): DomElement {
  const element = document.createElement(name);
  for (const child of children) element.appendChild(child);
  return element;
}

/** A new element with the children of another one. */
export const withChildrenOf = (source: DomElement, name: string): DomElement =>
  newElement(source.ownerDocument, name, childrenOf(source));

/** Element names: a list like "p,li", or a set if it is used often. Both are faster than a selector, which linkedom compiles each time. */
type Names = string | ReadonlySet<string>;
const setOf = (names: Names) => (typeof names === "string" ? new Set(names.split(",")) : names);

/** Whether a node contains an element with one of these names. */
export function contains(node: DomNode, names: Names): boolean {
  const set = setOf(names);
  for (let child = node.firstChild; child !== null; child = child.nextSibling) {
    if (isElement(child) && (set.has(child.localName.toLowerCase()) || contains(child, set))) return true;
  }
  return false;
}

/** The descendants of a node with one of these names, in order. */
export function elementsOf(root: DomNode, names: Names, found: DomElement[] = []): DomElement[] {
  const set = setOf(names);
  for (let child = root.firstChild; child !== null; child = child.nextSibling) {
    if (!isElement(child)) continue;
    if (set.has(child.localName.toLowerCase())) found.push(child);
    elementsOf(child, set, found);
  }
  return found;
}

/** The nearest of an element and its ancestors that passes a test. */
export function closestThat(element: DomElement | null, passes: (one: DomElement) => boolean): DomElement | null {
  return element === null || passes(element) ? element : closestThat(element.parentElement, passes);
}

/** The nearest of an element and its ancestors with one of these names. */
export function closestOf(element: DomElement | null, names: Names): DomElement | null {
  const set = setOf(names);
  return closestThat(element, ({ localName }) => set.has(localName.toLowerCase()));
}

/** The nearest sibling of a node that is not white space. */
export function besideOf(node: DomNode, side: "previousSibling" | "nextSibling"): DomNode | null {
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
export function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
}

/** Whether a node has text; faster than to collect its text. */
export function hasText(node: DomNode): boolean {
  if (node.nodeType === textNode) return /\S/.test(node.textContent);
  for (let child = node.firstChild; child !== null; child = child.nextSibling) if (hasText(child)) return true;
  return false;
}

/** The text of a node with white space collapsed and trimmed. */
export function visibleText(node: DomNode): string {
  return node.textContent.replace(/\s{2,}|[^\S ]/g, " ").trim();
}
