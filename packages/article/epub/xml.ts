// SPDX-License-Identifier: MIT

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

export const attributesOf = ({ attrs }: Element): Partial<Record<string, string>> =>
  Object.fromEntries(attrs.map(({ name, value }) => [name, value]));

export const writeAttributes = (attributes: Record<string, string | undefined>): string =>
  Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}="${escapeXml(String(value))}"`)
    .join("");

/** Text for XML, without the characters that XML 1.0 forbids. */
export const escapeXml = (text: string): string =>
  text
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 forbids them
    .replaceAll(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, "")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
