// SPDX-License-Identifier: MIT

import { type DomDocument, type DomElement, elementsThat, hasText, newElement } from "./dom.ts";

/**
 * Writes out the cards that a page declares as custom elements without content, whose script would show their attributes: a
 * title, a description and a link. Three of one name or more are a list of cards.
 */
export function writeOutCards(document: DomDocument): void {
  const cards = elementsThat(document.body, isCard);
  for (const alike of Map.groupBy(cards, ({ localName }) => localName).values())
    if (alike.length >= minAlike) for (const card of alike) card.replaceWith(written(card));
}

const minAlike = 3;
const titles = ["heading", "headline", "title", "name"];
const descriptions = ["description", "summary", "subtitle"];
const targets = ["href", "url", "path", "link"];

const isCard = (element: DomElement) =>
  element.localName.includes("-") &&
  !element.localName.startsWith("amp-") &&
  readFirst(element, titles) !== "" &&
  readFirst(element, descriptions).includes(" ") &&
  !hasText(element);

const readFirst = (element: DomElement, names: readonly string[]) =>
  names.map((name) => element.getAttribute(name)?.trim() ?? "").find((value) => value !== "") ?? "";

function written(card: DomElement): DomElement {
  const { ownerDocument: document } = card;
  const target = readFirst(card, targets);
  const title = document.createTextNode(readFirst(card, titles));
  const link = newElement(document, "a", [title]);
  link.setAttribute("href", target);
  const paragraphs = [target === "" ? title : link, document.createTextNode(readFirst(card, descriptions))];
  return newElement(
    document,
    "section",
    paragraphs.map((node, index) => newElement(document, index === 0 ? "h3" : "p", [node])),
  );
}
