// SPDX-License-Identifier: MIT

import { type DomDocument, type DomElement, elementsWith, findElements, newElement } from "./dom.ts";

/** Writes e-mail addresses that Cloudflare obscures for bots, and scripts decode, as links. */
export function decodeEmails(document: DomDocument): void {
  for (const element of elementsWith(document.documentElement, "data-cfemail")) {
    const address = decodeAddress(element.getAttribute("data-cfemail") ?? "");
    if (address === undefined) continue;
    const link = element.closest("a") ?? element;
    link.replaceWith(linkTo(document, address, address));
  }
  for (const link of findElements(document.body, "a")) {
    const [, code = ""] = /\/cdn-cgi\/l\/email-protection#([\da-f]+)$/i.exec(link.getAttribute("href") ?? "") ?? [];
    const address = code === "" ? undefined : decodeAddress(code);
    if (address !== undefined) link.setAttribute("href", `mailto:${address}`);
  }
}

function linkTo(document: DomDocument, address: string, text: string): DomElement {
  const link = newElement(document, "a", [document.createTextNode(text)]);
  link.setAttribute("href", `mailto:${address}`);
  return link;
}

/** Each byte is combined with the first one by XOR. Undefined if the result is not an address. */
function decodeAddress(code: string): string | undefined {
  const bytes = Buffer.from(code.slice(0, maxLength), "hex");
  const key = bytes[0] ?? 0;
  const address = Buffer.from(bytes.subarray(1).map((byte) => byte ^ key)).toString();
  return /^[^\s<>"@]+@[^\s<>"@]+$/.test(address) ? address : undefined;
}

/** Hexadecimal digits. */
const maxLength = 1000;
