// SPDX-License-Identifier: MIT

import { escapeXml } from "@reading-list/core/domain/escape.ts";
import type { DefaultTreeAdapterTypes as Tree } from "parse5";

export type Element = Tree.Element;

export const isElement = (node: Tree.ChildNode): node is Element => "tagName" in node;

/** The elements below one, in order. */
export function* descendants(root: Tree.ParentNode): Generator<Element> {
  const waiting = root.childNodes.toReversed();
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (!isElement(node)) continue;
    yield node;
    for (const child of node.childNodes.toReversed()) waiting.push(child);
  }
}

export const attributesByName = ({ attrs }: Element): Partial<Record<string, string>> =>
  Object.fromEntries(attrs.map(({ name, value }) => [name, value]));

export const writeAttributes = (attributes: Record<string, string | undefined>): string =>
  Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}="${escapeXml(String(value))}"`)
    .join("");
