/** The part of the DOM that the reader uses. `parse-page.ts` creates a document. */

export interface DomNode {
  readonly nodeType: number;
  readonly parentElement: DomElement | null;
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
  readonly parentNode: DomNode | null;
  readonly nextElementSibling: DomElement | null;
  readonly previousElementSibling: DomElement | null;
  id: string;
  className: string;
  getAttribute(name: string): string | null;
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
export function childrenOf(node: DomNode): DomNode[] {
  const children: DomNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) children.push(child);
  return children;
}

/** Whether an element contains another with one of these names. Many times faster than a selector, which is compiled anew. */
export function contains(element: DomElement, names: ReadonlySet<string>): boolean {
  for (let child = element.firstChild; child !== null; child = child.nextSibling) {
    if (isElement(child) && (names.has(child.localName.toLowerCase()) || contains(child, names))) return true;
  }
  return false;
}

/** The descendants of a node with one of these names, in order; faster than a selector, too. */
export function elementsOf(root: DomNode, names: ReadonlySet<string>, found: DomElement[] = []): DomElement[] {
  for (let child = root.firstChild; child !== null; child = child.nextSibling) {
    if (!isElement(child)) continue;
    if (names.has(child.localName.toLowerCase())) found.push(child);
    elementsOf(child, names, found);
  }
  return found;
}

/** Whether a node has no sibling with text or media. The nearest siblings are looked at first: most nodes have such a one. */
export function isAlone(node: DomNode): boolean {
  const isEmpty = (sibling: DomNode) =>
    visibleText(sibling) === "" && !(isElement(sibling) && (media.has(sibling.localName) || contains(sibling, media)));
  for (let next = node.nextSibling; next !== null; next = next.nextSibling) if (!isEmpty(next)) return false;
  for (let before = node.previousSibling; before !== null; before = before.previousSibling)
    if (!isEmpty(before)) return false;
  return true;
}

const media = new Set(["img", "amp-img", "iframe", "embed", "video", "audio", "hr"]);

/** Letters and digits in lower case only, to compare texts without their punctuation. */
export function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
}

/** The text of a node with white space collapsed and trimmed. */
export function visibleText(node: DomNode): string {
  return node.textContent.replace(/\s{2,}|[^\S ]/g, " ").trim();
}
