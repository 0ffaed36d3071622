// SPDX-License-Identifier: MIT

import {
  closestThat,
  contains,
  type DomElement,
  type DomNode,
  elementsThat,
  findElements,
  headingNames,
  isElement,
  textNode,
  toLetters,
  visibleText,
} from "../document/dom.ts";
import { readNameWords } from "../document/element-names.ts";
import type { Page } from "../document/page.ts";
import { proseLength } from "../document/prose.ts";
import { isShown } from "../document/visibility.ts";
import { dateIn } from "./date-text.ts";

/** The author and the date that a page shows around its heading. */
export interface Byline {
  /** Names, separated by ", ". */
  author: string | undefined;
  /** As of `dateIn`. */
  date: string | undefined;
}

/** Reads the short lines before and after the heading, up to the first paragraph. */
export function findByline(page: Page, title: string): Byline {
  // A home page shows the newest of its articles.
  const isHome = page.url.pathname === "/" && findElements(page.document.body, "article,time").length > maxOnArticle;
  const elements = isHome ? [] : linesAround(page, title);
  const first = (find: (element: DomElement) => string | undefined) => {
    for (const element of elements) {
      const found = find(element);
      // The costly tests come last.
      if (found !== undefined && isShown(element) && closestThat(element, isElsewhere) === null) return found;
    }
    return undefined;
  };
  return {
    author: first(namedAuthor) ?? first(lineAuthor) ?? markedIn(page, "[rel=author],[itemprop=author]", namedAuthor),
    date:
      first(readTime) ?? first(namedDate) ?? first(lineDate) ?? markedIn(page, "[itemprop=datePublished]", readTime),
  };
}

/** The first element of the page with a mark that no other text has. */
function markedIn({ document }: Page, selector: string, read: (element: DomElement) => string | undefined) {
  const element = [...document.body.querySelectorAll(selector)].find(isShown);
  return element && read(element);
}

/** The short elements around the heading in the order of the document, first those after it. */
function linesAround(page: Page, title: string): DomElement[] {
  const headings = findElements(page.document.body, headingNames).filter(isShown);
  const letters = toLetters(title);
  const heading =
    headings.find((one) => toLetters(visibleText(one)) === letters) ??
    headings.find(({ localName }) => localName === "h1");
  if (heading === undefined) return [];
  const all = elementsThat(page.document.body, () => true);
  const place = all.indexOf(heading);
  const before = all.slice(Math.max(0, place - maxBefore), place).reverse();
  return [...shortLines(all.slice(place, place + maxAfter), heading), ...shortLines(before, heading)];
}

/** Up to the first paragraphs. */
function shortLines(elements: readonly DomElement[], heading: DomElement): DomElement[] {
  const lines: DomElement[] = [];
  let prose = 0;
  for (const element of elements) {
    if (element.contains(heading) || heading.contains(element) || notRead.has(element.localName)) continue;
    const length = lengthUpTo(element, maxLineLength);
    if (length <= maxLineLength) lines.push(element);
    const isParagraph = /^(?:p|div|li)$/.test(element.localName) && length > minParagraph && !contains(element, blocks);
    if (isParagraph) prose += proseLength(element);
    if (prose > maxProse) break;
  }
  return lines;
}

const blocks = new Set(["p", "div", "ul"]);

/** The length of an element's text, counted no further than a limit. */
function lengthUpTo(node: DomNode, limit: number): number {
  if (node.nodeType === textNode) return node.textContent.length;
  let length = 0;
  for (let child = node.firstChild; child !== null && length <= limit; child = child.nextSibling)
    length += lengthUpTo(child, limit - length);
  return length;
}

const maxOnArticle = 4;
/** Elements. */
const maxBefore = 40;
const maxAfter = 160;
/** Characters. */
const minParagraph = 80;
/** A summary is shorter. */
const maxProse = 240;
const maxLineLength = 400;
const notRead = new Set(["script", "style", "noscript", "svg", "button", "option", "template"]);
const otherParts = new Set(
  "comment comments related sidebar recommended footer nav menu breadcrumb breadcrumbs".split(" "),
);
const isElsewhere = (element: DomElement) =>
  /^(?:nav|footer|aside)$/.test(element.localName) ||
  (element.localName !== "body" && readNameWords(element).some((word) => otherParts.has(word)));

const authorWords = new Set(
  "author authors byline writer writtenby contributor contributors reporter username".split(" "),
);
const notNames = new Set(
  "bio avatar image img photo picture social title role job date time count follow box description email twitter links".split(
    " ",
  ),
);

/** The author in an element that is marked as such. */
function namedAuthor(element: DomElement): string | undefined {
  const words = readNameWords(element);
  const isMarked =
    /\bauthor\b/.test(`${element.getAttribute("rel")} ${element.getAttribute("itemprop")}`) ||
    (words.some((word) => authorWords.has(word)) && !words.some((word) => notNames.has(word))) ||
    /\/(?:authors?|autor(?:es)?|auteurs?|people|profile|by|writers|contributors?|staff)\/[^/]+\/?$/.test(
      element.getAttribute("href") ?? "",
    );
  if (!isMarked) return undefined;
  const inner = [...element.querySelectorAll("[itemprop=name],[rel=author],a[href]")].map((one) => findPersonName(one));
  const names = new Set(inner.filter((name) => name !== undefined));
  if (names.size > 0) return [...names].join(", ");
  const isSure = element.getAttribute("rel") !== null || element.getAttribute("itemprop") !== null;
  return findPersonName(
    element,
    isSure || words.includes("username") || words[0] === "author" ? isAnyName : isPersonName,
  );
}

/** The author of a line such as "By Jane Doe". */
function lineAuthor(element: DomElement): string | undefined {
  const text = visibleText(element);
  return text.length <= maxNameLine && label.test(text) ? findPersonName(element) : undefined;
}

const maxNameLine = 120;
const label =
  /^(?:(?:written|posted|published|reported|story|words|text|article|review|interview|opinion)\s+)?(?:by|von|par|por|di|door|av|af|autorius|автор|author|autor|auteur|autore|text|words)(?:\s*:\s*|\s+)(?=\p{Lu}|\p{Lo})/iu;

/** The name in an element's text, without its label, date and role. */
function findPersonName(element: DomElement, passes = isPersonName): string | undefined {
  const [line = ""] = textIn(element).replace(/\s+/g, " ").trim().replace(label, "").split(endOfName);
  const name = line.replace(/^[\s,–-]+|(?<![\s,–:-])[\s,–:-]+$/g, "").replace(label, "");
  return passes(name) ? name : undefined;
}

/** The text of an element, with a mark where only the style sheet separates two parts. */
function textIn(node: DomNode): string {
  if (node.nodeType === textNode) return node.textContent;
  let text = "";
  for (let child = node.firstChild; child !== null; child = child.nextSibling) {
    const next = isElement(child) || child.nodeType === textNode ? textIn(child) : "";
    text += text === "" || next === "" || /\s$/.test(text) || /^[\s,.]/.test(next) ? next : `|${next}`;
  }
  return text;
}

const endOfName = new RegExp(
  [
    / ?[|•·—/@(]| [–-] |(?=\b\d)/,
    / (?=(?:on|am|le|el|il|op|published|updated|posted|[Uu]pdated|[Pp]ublished|[Pp]osted|UPDATED|PUBLISHED|[Ww]riter|[Ee]ditor|[Rr]eporter)\b)/,
    // bounded: the process that reads a page is ended after a fixed time
    / ?,? (?=(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)[a-z]*\.?\s\d)/,
    / ?, (?=[a-z\d]|[A-Z]{2,}\b|PhD|(?:Senior|Staff|Contributing|Associate|Editor|Writer|Reporter|Chief|Managing|Special)\b)/,
  ]
    .map(({ source }) => source)
    .join("|"),
);

/** Two to eight words that begin with a capital letter, or a name in a script without capital letters. */
function isPersonName(name: string): boolean {
  if (name.length > maxNameLength || notInName.test(name)) return false;
  if (/^\p{Lo}[\p{Lo}\p{M}\s・·]{1,20}$/u.test(name)) return true;
  const persons = name.split(/\s?(?:,|&|\b(?:and|und|et|y|e|en|och)\b)\s?/).map((person) => person.split(/\s+/));
  return persons.every((words) => words.length >= 2 && words.length <= maxWords && words.every(isNameWord));
}

/** A name of one word, such as a username. */
const isAnyName = (name: string): boolean =>
  isPersonName(name) || (/^[\p{L}][\p{L}\p{N}._-]{2,30}$/u.test(name) && !notInName.test(name));

const isNameWord = (word: string) =>
  /^(?:\p{Lu}|['’]\p{Lu}|(?:de|van|von|der|den|da|di|la|le|el|al|bin|ibn|ten|dos|du|zu|af|av|d['’]\p{Lu}.*)$)/u.test(
    word,
  );
const maxWords = 6;
const maxNameLength = 80;
const notInName =
  /[<>{}:;!?]|https?|\.(?:com|org)\b|\b(?:read|view|more|follow|all|see|about|share|comments?|posts?|articles?|minutes?|min|contact|sign|log|editorial|process|guidelines|policy|prevention|reviewed|admin|administrator|author|profile|home|news|blog|written)\b/i;

/** The time of publication in a `time` element. */
function readTime(element: DomElement): string | undefined {
  const isTime = element.localName === "time" || element.getAttribute("itemprop") === "datePublished";
  if (!isTime || isChange(element)) return undefined;
  const given = element.getAttribute("datetime") ?? element.getAttribute("content") ?? "";
  return dateIn(given) ?? dateIn(visibleText(element));
}

const dateWords = new Set("date time published timestamp dateline pubdate posted datetime".split(" "));

function namedDate(element: DomElement): string | undefined {
  if (!readNameWords(element).some((word) => dateWords.has(word)) || isChange(element)) return undefined;
  return dateIn(visibleText(element));
}

/** A line that is little more than a date. */
function lineDate(element: DomElement): string | undefined {
  const text = visibleText(element);
  return text.length > maxNameLine || yearRange.test(text) || isChange(element) ? undefined : dateIn(text);
}

const yearRange = /\d{4}\s*[-–]\s*\d/;

/** Whether an element, or the line around it, names a change of the article. */
function isChange(element: DomElement): boolean {
  const around = element.parentElement;
  const line = around !== null && lengthUpTo(around, maxNameLine) <= maxNameLine ? around : element;
  const before = element.previousElementSibling;
  const label = before !== null && lengthUpTo(before, maxNameLine) <= maxLabel ? visibleText(before) : "";
  return (
    change.test(`${readNameWords(element).join(" ")} ${label} ${visibleText(line)}`) &&
    !published.test(visibleText(element))
  );
}

const maxLabel = 30;
const change =
  /updat|modif|revised|edited|reviewed|last|aktualisiert|mis(?:e)? à jour|actualizad|atualizad|aggiornat|bijgewerkt|aktualiz|обновлен/i;
const published = /publish|posted|veröffentlicht|publié|publicad|pubblicat/i;
