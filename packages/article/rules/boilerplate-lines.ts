// SPDX-License-Identifier: MIT

import {
  contains,
  type DomElement,
  findClosest,
  findElements,
  headingNames,
  toLetters,
  visibleText,
} from "../document/dom.ts";
import { isNamed } from "../document/element-names.ts";
import { linkDensity } from "../document/prose.ts";
import {
  advertisement,
  announcement,
  codeLanguage,
  control,
  pointer,
  request,
  tagged,
  tagsLabel,
  whole,
} from "./labels.ts";
import type { Rule } from "./rule.ts";

/**
 * Removes short paragraphs that repeat on every page of a site: pointers to other stories, requests to subscribe, to share
 * or to follow, publication times, tags, buttons and copyright. Only a whole paragraph or list item is removed, or a small
 * heading.
 */
export const boilerplateLines: Rule = {
  name: "boilerplate-lines",
  *apply(article) {
    const broken = new Set(findElements(article, "br").map((lineBreak) => lineBreak.parentElement));
    for (const line of findElements(article, lines)) {
      const isInline = /^(?:span|a|i)$/i.test(line.localName);
      if (contains(line, blocks) || (isInline && !isWholeBlock(line))) continue;
      const text = visibleText(line);
      if (announcement.test(text) && line.localName === "p") yield* linkedLinesAfter(line);
      if (line.localName === "li" && tagsLabel.test(text) && hasOnlyLinksAfter(line)) yield line.parentElement ?? line;
      const isLabel = advertisement.test(text) || announcement.test(text);
      if (!isLabel && (/^(?:h[23]|summary)$/i.test(line.localName) || contains(line, "img"))) continue;
      const isControl = control.test(text);
      const isJunk =
        (text.length <= maxLineLength && isBoilerplate(text, line)) || (broken.has(line) && isListOfPointers(line));
      if ((isControl || isJunk) && findClosest(line, isControl ? "pre" : "pre,blockquote,table") === null)
        yield line.localName === "figcaption" ? (findClosest(line, "figure") ?? line) : line;
    }
  },
};

/** A label of other stories and the paragraphs after it that are links, if there are any. */
function linkedLinesAfter(label: DomElement): DomElement[] {
  const links: DomElement[] = [];
  for (
    let next = label.nextElementSibling;
    next?.localName === "p" && linkDensity(next) === 1;
    next = next.nextElementSibling
  )
    links.push(next);
  return links.length === 0 ? [] : [label, ...links];
}

/** Whether the other items of a list, which begins with its label, are links. */
const hasOnlyLinksAfter = ({ previousElementSibling, nextElementSibling: next, parentElement: list }: DomElement) =>
  previousElementSibling === null &&
  next !== null &&
  [...(list?.children ?? [])].slice(1).every((item) => linkDensity(item) === 1);

const lines = "p,li,div,section,h2,h3,h4,h5,h6,summary,figcaption,span,a,i";
const blocks = new Set("p,li,div,section,table,pre,ul,h1,h2,h3".split(","));
/** Characters. */
const maxLineLength = 320;

/** Whether an inline element is beside blocks, as all the text of a line. */
function isWholeBlock(element: DomElement): boolean {
  const parent = element.parentElement;
  return parent !== null && /^(?:div|section|article|li)$/i.test(parent.localName) && contains(parent, blocks);
}

function isBoilerplate(text: string, line: DomElement): boolean {
  const next = line.nextElementSibling ?? line.parentElement?.nextElementSibling;
  if (codeLanguage.test(text)) return next?.localName === "pre";
  // "link-lists" and "other-sections" remove stories with their label.
  if (announcement.test(text)) return line.nextElementSibling?.querySelector("a") == null;
  if (text.length <= maxButtonLength && isButton(line)) return true;
  if (isInCapitals(text) && linkDensity(line) === 1 && findClosest(line, `${items},${headingNames}`) === null)
    return true;
  if ([advertisement, ...whole].some((pattern) => pattern.test(text))) return true;
  if (![pointer, tagged, request].some((pattern) => pattern.test(text))) return false;
  return line.querySelector("a") !== null || linkDensity(line.parentElement ?? line) > 0.5;
}

/** Authors seldom write a whole linked line in capitals. */
const isInCapitals = (text: string) => (text.match(/\p{Lu}/gu) ?? []).length >= minCapitals && !/\p{Ll}/u.test(text);
const minCapitals = 24;

/**
 * Whether a line has only links that look like buttons, or a link to another place of the page, and is not an item of a
 * list.
 */
function isButton(line: DomElement): boolean {
  const links = line.localName === "a" ? [line] : findElements(line, "a");
  const text = links.map((link) => toLetters(link.textContent)).join("");
  if (text === "" || text !== toLetters(line.textContent)) return false;
  if (links.every((link) => isNamed(link, buttonNames))) return true;
  const [page, place = ""] = (links[0]?.getAttribute("href") ?? "").split("#");
  const isInPage = place !== "" && (page === "" || page === line.ownerDocument.documentURI.split("#")[0]);
  // The number of a footnote leads to a place of the page, too.
  const isWord = /\p{L}{2}/u.test(text);
  return links.length === 1 && isInPage && isWord && findClosest(line, items) === null;
}

/** A line such as "Don't miss", a line break, and links to other stories on lines of the same paragraph. */
function isListOfPointers(line: DomElement): boolean {
  const label = findElements(line, "br")[0]?.previousSibling ?? null;
  return label !== null && pointer.test(visibleText(label)) && linkDensity(line) > 0.6;
}

const items = "li,dd,td,th";
const buttonNames = new Set(["btn", "button", "cta"]);
const maxButtonLength = 40;
