// SPDX-License-Identifier: MIT

import { escapeXml } from "@reading-list/core/domain/escape.ts";

/** XML, written by hand: builders take text that looks like an entity (`&nbsp;` in a title) for an entity. */

/** An element with XML as its content, and the attributes that are defined. */
export function element(name: string, content: string, attributes: Record<string, string | undefined> = {}): string {
  let tag = name;
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value !== undefined) tag += ` ${attribute}="${escapeXml(value)}"`;
  }
  return content === "" ? `<${tag}/>` : `<${tag}>${content}</${name}>`;
}
