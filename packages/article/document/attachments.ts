// SPDX-License-Identifier: MIT

import {
  childrenOf,
  type DomDocument,
  type DomElement,
  elementsOf,
  hasText,
  isElement,
  lettersOf,
  newElement,
} from "./dom.ts";

/**
 * Writes a box that has only the links of one attached file, such as its name and "Download", as a paragraph with the first
 * link: Readability removes a box that is all links, but not such a paragraph. A box with nothing but such paragraphs goes.
 */
export function writeOutAttachments(document: DomDocument): void {
  const files = new Set<DomElement>();
  for (const link of elementsOf(document.body, "a")) {
    const box = link.parentElement;
    // Before the links of the box are listed: it may have very many.
    if (link.previousElementSibling !== null || box === null || !boxNames.has(box.localName)) continue;
    if (!attachment.test(link.getAttribute("href") ?? "") || !hasText(link)) continue;
    const links = [...box.children];
    if (links.length > maxLinks || !links.every((other) => isLinkOf(other, link))) continue;
    const letters = links.map((other) => lettersOf(other.textContent)).join("");
    if (letters !== lettersOf(box.textContent)) continue;
    const file = newElement(document, "p", [link]);
    box.replaceWith(file);
    files.add(file);
  }
  for (const list of new Set([...files].map(({ parentElement }) => parentElement))) {
    const isList = list?.localName === "div" && [...list.children].every((child) => files.has(child));
    if (isList && childrenOf(list).every((node) => isElement(node) || !hasText(node)))
      list.replaceWith(...childrenOf(list));
  }
}

const boxNames = new Set(["div", "figure"]);

const isLinkOf = (other: DomElement, link: DomElement) =>
  other.localName === "a" && other.getAttribute("href") === link.getAttribute("href");
const attachment = /\.(?:pdf|epub|docx?|odt|rtf|xlsx?|ods|csv|pptx?|odp|zip|txt|mp3|gpx|ics)(?:[?#]|$)/i;
const maxLinks = 3;
