// SPDX-License-Identifier: MIT

/** XML, written by hand: builders take text that looks like an entity (`&nbsp;` in a title) for an entity. */

/** An element with XML as its content, and the attributes that are defined. */
export function element(name: string, content: string, attributes: Record<string, string | undefined> = {}): string {
  let tag = name;
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value !== undefined) tag += ` ${attribute}="${escapeXml(value).replaceAll('"', "&#34;")}"`;
  }
  return content === "" ? `<${tag}/>` : `<${tag}>${content}</${name}>`;
}

/** Drops the characters that XML 1.0 forbids, and escapes markup. */
export const escapeXml = (text: string): string =>
  text
    .replaceAll(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "")
    .replaceAll(/[&<>\r]/g, (character) => `&#${character.charCodeAt(0)};`);
