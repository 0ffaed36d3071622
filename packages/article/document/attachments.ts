// SPDX-License-Identifier: MIT

import {
  type DomDocument,
  type DomElement,
  findElements,
  hasText,
  isElement,
  listChildren,
  newElement,
  toLetters,
} from "./dom.ts";

/**
 * Writes a box that has only the links of one attached file, such as its name and "Download", as a paragraph with the first
 * link: Readability removes a box that is all links, but not such a paragraph. A box with nothing but such paragraphs goes.
 */
export function writeOutAttachments(document: DomDocument): void {
  const files = new Set<DomElement>();
  for (const link of findElements(document.body, "a")) {
    const box = link.parentElement;
    // Before the links of the box are listed: it may have very many.
    if (link.previousElementSibling !== null || box === null || !boxNames.has(box.localName)) continue;
    if (!attachment.test(link.getAttribute("href") ?? "") || !hasText(link)) continue;
    const links = [...box.children];
    if (links.length > maxLinks || !links.every((other) => hasSameTarget(other, link))) continue;
    const letters = links.map((other) => toLetters(other.textContent)).join("");
    if (letters !== toLetters(box.textContent)) continue;
    const file = newElement(document, "p", [link]);
    box.replaceWith(file);
    files.add(file);
  }
  for (const list of new Set([...files].map(({ parentElement }) => parentElement))) {
    const isList = list?.localName === "div" && [...list.children].every((child) => files.has(child));
    if (isList && listChildren(list).every((node) => isElement(node) || !hasText(node)))
      list.replaceWith(...listChildren(list));
  }
}

const boxNames = new Set(["div", "figure"]);

const hasSameTarget = (other: DomElement, link: DomElement) =>
  other.localName === "a" && other.getAttribute("href") === link.getAttribute("href");
const attachment = /\.(?:pdf|epub|docx?|odt|rtf|xlsx?|ods|csv|pptx?|odp|zip|txt|mp3|gpx|ics)(?:[?#]|$)/i;
const maxLinks = 3;
