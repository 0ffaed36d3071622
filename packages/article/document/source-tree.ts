// SPDX-License-Identifier: MIT

import type { DefaultTreeAdapterTypes } from "parse5";

export type SourceElement = DefaultTreeAdapterTypes.Element;
type SourceNode = DefaultTreeAdapterTypes.ChildNode;

/** The elements and texts of a page as it was parsed, in their order, without those inside of templates. */
export function* walkNodes(source: DefaultTreeAdapterTypes.Document): Generator<SourceNode> {
  const pending = source.childNodes.toReversed();
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    yield node;
    if ("childNodes" in node) for (const child of node.childNodes.toReversed()) pending.push(child);
  }
}

export const isElementNode = (node: SourceNode): node is SourceElement => "tagName" in node;

/** The value of an attribute; empty if it is missing. */
export const readAttribute = ({ attrs }: SourceElement, name: string): string =>
  attrs.find((attribute) => attribute.name === name)?.value ?? "";

/** The text directly inside of an element, such as a script. */
export const textIn = ({ childNodes }: SourceElement): string =>
  childNodes.map((node) => ("value" in node ? node.value : "")).join("");
