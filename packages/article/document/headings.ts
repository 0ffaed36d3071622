// SPDX-License-Identifier: MIT

import { anchorAttribute } from "./anchors.ts";
import {
  contains,
  type DomElement,
  type DomNode,
  elementsWith,
  findClosest,
  findElements,
  hasText,
  headingLevel,
  headingNames,
  isElement,
  listChildren,
  moveChildren,
  newElement,
  toLetters,
  visibleText,
} from "./dom.ts";
import { readClass } from "./element-names.ts";
import { isShort, linesAfter } from "./lines.ts";
import type { Page } from "./page.ts";
import { linkDensity } from "./prose.ts";
import { mayOpenPanel } from "./visibility.ts";

/**
 * Removes links and labels inside headings and terms that are not part of the title: permalink markers (`¶`, `#`, icons)
 * and edit links (`[edit]`). Moves a kicker out of the `h1`, and replaces line breaks by spaces.
 */
export function cleanHeadings(page: Page): void {
  const { document } = page;
  for (const heading of elementsWith(document.body, "aria-level")) if (isNamelessHeading(heading)) nameHeading(heading);
  const found = findElements(document.body, headingsAndTerms);
  for (const heading of found) {
    const button = findClosest(heading, "button");
    // No view writes buttons.
    if (button !== null) button.replaceWith(...listChildren(button));
    for (const lineBreak of findElements(heading, "br")) lineBreak.replaceWith(document.createTextNode(" "));
    for (const element of heading.querySelectorAll("*")) {
      if (isMarker(element) && visibleText(element) !== visibleText(heading)) element.remove();
      // A script opens the panel below, or a link leads to the heading itself: the heading is not a link to Readability.
      else if (element.localName === "a" && leadsNowhere(element, heading)) unwrapAnchor(element);
      else if (isButtonAboveText(element, heading)) element.replaceWith(...listChildren(element));
    }
  }
  const headings = found.filter((heading) => headingLevel(heading) > 0);
  for (const heading of headings) removeLabelsBeside(heading);
  // Sphinx has such a marker after the captions of code, tables and figures, too.
  for (const marker of findElements(document.body, "a"))
    if (/(?:^|\s)headerlink(?:\s|$)/.test(readClass(marker)) && isMarker(marker)) marker.remove();
  separateKicker(
    page,
    headings.filter((heading) => headingLevel(heading) === 1),
  );
}

/** Whether an anchor has no target, or leads from the whole heading to itself. */
function leadsNowhere(anchor: DomElement, heading: DomElement): boolean {
  const href = anchor.getAttribute("href") ?? "";
  if (/^#?$/.test(href)) return true;
  const [page, place = ""] = href.split("#");
  if (place === "" || visibleText(anchor) !== visibleText(heading)) return false;
  if (![heading, anchor, heading.parentElement].some((one) => one?.id === place)) return false;
  return page === "" || URL.parse(href, anchor.ownerDocument.baseURI)?.href.split("#")[0] === readAddress(anchor);
}

const readAddress = ({ ownerDocument: { documentURI } }: DomElement) => documentURI.split("#")[0];

/** Whether a button is the heading of the text below it. */
const isButtonAboveText = (button: DomElement, heading: DomElement) =>
  button.localName === "button" &&
  !mayOpenPanel(button) &&
  visibleText(button) === visibleText(heading) &&
  hasTextBelow(heading);

/** An element that only its role makes a heading. */
const isNamelessHeading = (element: DomElement) =>
  element.getAttribute("role") === "heading" &&
  /^(?:div|span|p)$/.test(element.localName) &&
  findClosest(element, headingNames) === null &&
  !contains(element, headingNames);

function nameHeading(element: DomElement): void {
  const level = Math.min(Math.max(Number.parseInt(element.getAttribute("aria-level") ?? "", 10) || 2, 1), 6);
  const heading = moveChildren(element, `h${level}`);
  if (element.id !== "") heading.id = element.id;
  element.replaceWith(heading);
}

const headingsAndTerms = `${headingNames},dt`;

/**
 * Removes the short links beside a heading in a box of its own, such as MediaWiki's `[edit]`, `#`, "Copy link" and "See all
 * photos", because Readability removes a box that is mostly links. Text must follow the box: cards have a heading and a
 * link, too.
 */
function removeLabelsBeside(heading: DomElement): void {
  let inner = heading;
  for (let box = heading.parentElement; box !== null && boxNames.has(box.localName); box = box.parentElement) {
    const beside = listChildren(box).filter((node) => node !== inner && hasText(node));
    if (beside.length > 0) {
      if (isLabel(beside) && !contains(box, "img,ul,ol,input,form") && hasTextBelow(box)) beside.forEach(removeLinks);
      return;
    }
    inner = box;
  }
}

/** Whether nodes have links, and are short. */
function isLabel(nodes: readonly DomNode[]): boolean {
  if (nodes.length > maxLabelParts || !nodes.every((node) => isShort(node, maxLabelLength))) return false;
  return nodes.some((node) => findLinks(node).length > 0) && nodes.map(visibleText).join(" ").length <= maxLabelLength;
}

const findLinks = (node: DomNode) =>
  isElement(node) && isLink(node) ? [node] : isElement(node) ? findElements(node, "a,button") : [];

/** Removes the links of a label, and the label if it has only signs besides. */
function removeLinks(node: DomNode): void {
  for (const link of findLinks(node)) link.remove();
  if (toLetters(node.textContent) === "") node.remove();
}

function hasTextBelow(box: DomElement): boolean {
  const [next] = linesAfter(box, 1);
  return next !== undefined && headingLevel(next) === 0 && linkDensity(next) < 0.5;
}

const boxNames = new Set(["div", "header", "span"]);
const isLink = ({ localName }: DomElement) => localName === "a" || localName === "button";
/** Characters. */
const maxLabelLength = 40;
const maxLabelParts = 6;

/** A kicker ("World", "Opinion") inside the `h1` becomes a paragraph before it, if the rest of the `h1` is the page's title. */
function separateKicker(page: Page, headings: readonly DomElement[]): void {
  const pageTitle = page.document.querySelector("title")?.textContent ?? "";
  const titles = [page.meta("og:title"), page.meta("twitter:title"), pageTitle].map(toLetters);
  for (const heading of headings) {
    let [kicker] = heading.children;
    while (kicker !== undefined && visibleText(kicker) === visibleText(heading)) [kicker] = kicker.children;
    if (kicker === undefined || visibleText(kicker) === "") continue;
    const rest = toLetters(heading.textContent).slice(toLetters(kicker.textContent).length);
    if (rest === "" || !titles.some((title) => title.startsWith(rest))) continue;
    const text = page.document.createTextNode(visibleText(kicker));
    kicker.remove();
    heading.parentElement?.insertBefore(newElement(page.document, "p", [text]), heading);
  }
}

/** Replaces an anchor that leads nowhere by its content: Readability counts it as a link. */
function unwrapAnchor(anchor: DomElement): void {
  const target = anchor.getAttribute(anchorAttribute);
  if (target !== null) anchor.parentElement?.setAttribute(anchorAttribute, target);
  anchor.replaceWith(...listChildren(anchor));
}

function isMarker(element: DomElement): boolean {
  if (!/^(?:a|button)$/.test(element.localName) && !markerName.test(readClass(element))) return false;
  if (contains(element, "img")) return false;
  const text = visibleText(element);
  if (text === "") return element.firstChild !== null || element.hasAttribute("href");
  return oneSymbol.test(text) || label.test(text.replace(/^[[(]|[\])]$/g, "").trim());
}

const markerName = /headerlink|anchor|permalink|octicon|edit/i;
const oneSymbol = /^[^\p{L}\p{N}]{1,2}\p{M}*$/u;
const label =
  /^(?:(?:direct |permanent )?link to .*|(?:edit|edit source|permalink|permanent ?link|anchor|link|lien permanent|enlace permanente|dauerhafter link|direktlink|edit (?:this )?(?:section|page)|ソースを編集|edit on github|copy link|bearbeiten(?: \| quelltext bearbeiten)?|modifier(?: (?:\| modifier )?le code)?|editar(?: (?:código|fonte|a fonte))?|modifica(?: wikitesto)?|bewerken|править(?: код)?|редактировать|編集|编辑|編輯|편집|تعديل|עריכה|redigera|rediger|muokkaa|edytuj|upravit|szerkesztés|düzenle)(?:\s*\|.*)?)$/iu;
