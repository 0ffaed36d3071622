// SPDX-License-Identifier: MIT

import { HTMLElement } from "linkedom";
import { type DomDocument, type DomElement, KnownNames } from "./dom.ts";
import { type ChainedNode, endLink, nextLink } from "./node-chain.ts";

/** Lets a document create all its elements as `PageElement`. */
export function createPageElements(document: DomDocument): void {
  const known = new KnownNames();
  document.createElement = (name) => new PageElement(document, name, known) as unknown as DomElement;
}

type Linkedom = new (
  document: DomDocument,
  name: string,
) => Omit<DomElement, "className" | "setAttribute"> & ChainedNode & { setAttribute(name: string, value: string): void };

/**
 * The class of all elements of a page. linkedom has a class for each name, and an engine reads the properties of objects of many
 * classes several times slower than those of a few. The methods below do what linkedom's do, with less work.
 */
export class PageElement extends (HTMLElement as unknown as Linkedom) {
  readonly known: KnownNames;
  readonly tagName: string;
  /** Readability's notes. A property that is added later makes another class, too. */
  readability: unknown = undefined;
  _readabilityDataTable: unknown = undefined;

  constructor(document: DomDocument, name: string, known: KnownNames) {
    super(document, name);
    this.known = known;
    this.tagName = known.tagNameOf(name);
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
