// SPDX-License-Identifier: MIT

import { HTMLElement } from "linkedom";
import { type DomDocument, type DomElement, KnownNames } from "./dom.ts";
import { type ChainedNode, endLink, nextLink, symbolNamed } from "./node-chain.ts";

/** Lets a document create all its elements as `PageElement`. */
export function createPageElements(document: DomDocument): void {
  const known = new KnownNames();
  document.createElement = (name) => new PageElement(document, name, known) as unknown as DomElement;
}

/** The methods that `PageElement` replaces are methods here, and no properties, so that it can. */
interface LinkedomElement extends Omit<DomElement, "className" | "getAttribute" | "setAttribute">, ChainedNode {
  parentNode: DomElement | null;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
}

/**
 * linkedom's element without its constructors: six of them run for each, and the object for its end, whose keys are computed,
 * takes half of the time to copy a page. `PageElement` sets the same properties.
 */
const Linkedom = class {} as new () => LinkedomElement;
Object.setPrototypeOf(Linkedom.prototype, HTMLElement.prototype);

const previousLink = symbolNamed("prev");
const startLink = symbolNamed("start");
const privateKey = symbolNamed("private");
const classListKey = symbolNamed("classList");
const datasetKey = symbolNamed("dataset");
const styleKey = symbolNamed("style");

/** Where an element ends in the chain of nodes. */
class ElementEnd {
  readonly nodeType = -1;
  readonly ownerDocument: DomDocument;
  readonly parentNode = null;
  [link: symbol]: unknown;

  constructor(start: object, document: DomDocument) {
    this.ownerDocument = document;
    this[nextLink] = null;
    this[previousLink] = start;
    this[startLink] = start;
  }
}

/**
 * The class of all elements of a page. linkedom has a class for each name, and an engine reads the properties of objects of many
 * classes several times slower than those of a few. The methods below do what linkedom's do, with less work.
 */
export class PageElement extends Linkedom {
  override readonly ownerDocument: DomDocument;
  override readonly localName: string;
  override readonly nodeType = 1;
  override parentNode: DomElement | null = null;
  readonly known: KnownNames;
  readonly tagName: string;
  /** Readability's notes. A property that is added later makes another class, too. */
  readability: unknown = undefined;
  _readabilityDataTable: unknown = undefined;

  constructor(document: DomDocument, name: string, known: KnownNames) {
    super();
    this.ownerDocument = document;
    this.localName = name;
    this.known = known;
    this.tagName = known.toTagName(name);
    // biome-ignore lint/complexity/noUselessThisAlias: only the alias has a type with these keys
    const links: Record<symbol, unknown> = this;
    links[privateKey] = links[classListKey] = links[datasetKey] = links[styleKey] = links[previousLink] = null;
    links[nextLink] = links[endLink] = new ElementEnd(this, document);
  }

  override get parentElement(): DomElement | null {
    const { parentNode } = this;
    return parentNode?.nodeType === 1 ? parentNode : null;
  }

  override get textContent(): string {
    let text = "";
    const end = this[endLink];
    for (let node = this[nextLink]; node !== end; node = node?.[nextLink])
      if (node?.nodeType === 3) text += (node as unknown as DomElement).textContent;
    return text;
  }

  override set textContent(text: string) {
    super.textContent = text;
  }

  override getAttribute(name: string): string | null {
    return name === "class" ? this.className : (this.getAttributeNode(name)?.value ?? null);
  }

  override setAttribute(name: string, value: string): void {
    this.known.attributes.add(name);
    super.setAttribute(name, value);
  }

  get className(): string {
    return this.getAttributeNode("class")?.value ?? "";
  }

  /** linkedom would keep a set of the words. */
  set className(value: string) {
    const attribute = this.getAttributeNode("class") ?? this.ownerDocument.createAttribute("class");
    attribute.value = irregularSpace.test(value) ? value.trim().replace(/\s+/g, " ") : value;
    if (attribute.ownerElement === null) this.setAttributeNode(attribute);
  }

  /** Readability reads the source of pictures so. */
  get src(): string {
    return this.localName === "img" ? (this.getAttribute("src") ?? "") : "";
  }

  get srcset(): string {
    return this.localName === "img" ? (this.getAttribute("srcset") ?? "") : "";
  }

  getElementsByTagName(name: string): ChainedNode[] {
    const found: ChainedNode[] = [];
    if (!this.known.elements.has(name)) return found;
    const end = this[endLink];
    for (let node = this[nextLink]; node !== undefined && node !== end; node = node[nextLink])
      if (node.nodeType === 1 && (node as unknown as PageElement).localName === name) found.push(node);
    return found;
  }
}

const irregularSpace = /^\s|\s$|\s\s|[^\S ]/;
