// SPDX-License-Identifier: MIT

import { escapeHtml } from "@reading-list/core/domain/escape.ts";
import { anchorAttribute } from "./anchors.ts";
import {
  contains,
  type DomDocument,
  type DomElement,
  elementsWith,
  findClosest,
  findElements,
  hasText,
  listChildren,
  newElement,
  visibleText,
} from "./dom.ts";
import { readClass } from "./element-names.ts";
import { decodeUrlPart } from "./link-target.ts";
import { serializeChildren } from "./serialize.ts";
import { isHidden } from "./visibility.ts";

/**
 * Links notes that have no links: numbers with notes in a box named after them, notes that a script shows on a click,
 * and the notes of word processors, whose links are broken.
 */
export function linkNotes(document: DomDocument): void {
  linkNotesOfWordProcessor(document);
  const named = elementsWith(document.body, "class,id").filter(isNamedAfterNotes);
  if (named.length > 0) showHiddenNotes(document, named);
  const beside = findElements(document.body, "aside").filter((aside) => contains(aside, "ol"));
  for (const box of [...named, ...beside].slice(0, maxBoxes))
    if (document.body.contains(box)) linkNumbers(document, box);
}

/** Bounds the work on a hostile page. */
const maxBoxes = 100;
const isNamedAfterNotes = (element: DomElement) => noteName.test(`${readClass(element)} ${element.id}`);
const noteName = /foot-?notes?(?![a-z]*-?(?:ref|link))|end-?notes?\b|(?:^|[\s_-])(?:fna?|side-?notes?)(?:[\s_-]|$)/i;

function linkNotesOfWordProcessor(document: DomDocument): void {
  const links = findElements(document.body, "a").filter((link) => link.getAttribute("href")?.includes("#_ftn"));
  const names = new Set(links.flatMap((link) => /^#(_ftn\d+)$/.exec(link.getAttribute("href") ?? "")?.[1] ?? []));
  for (const back of links) {
    const [, number] = /#_ftnref(\d+)$/.exec(back.getAttribute("href") ?? "") ?? [];
    const id = `_ftn${number}`;
    if (!names.has(id) || document.body.querySelector(`[id="${id}"],[name="${id}"]`) !== null) continue;
    findClosest(back, "p,li,div")?.setAttribute("id", id);
  }
}

/** Moves hidden notes out of the text, to its end, and links their marks. */
function showHiddenNotes(document: DomDocument, named: readonly DomElement[]): void {
  const marks = new Map(
    elementsWith(document.body, "data-definition").map((mark) => [mark.getAttribute("data-definition"), mark]),
  );
  const notes: DomElement[] = [];
  for (const note of named) {
    const parent = note.parentElement;
    if (parent === null || !isHidden(note) || !hasText(note) || contains(note, "p,div,section,ol,ul,h2,h3")) continue;
    const mark = marks.get(note.id) ?? (isNamedAfterNotes(parent) ? parent : undefined);
    if (mark === undefined) continue;
    const id = note.id || `note-${notes.length + 1}`;
    const moved = newElement(document, "p", listChildren(note));
    moved.setAttribute("id", id);
    note.remove();
    linkTo(document, mark, id);
    notes.push(moved);
  }
  const [first] = notes;
  if (first === undefined) return;
  const last = named.findLast((element) => document.body.contains(element));
  const text = findClosest(last ?? null, "article,main,section,div") ?? document.body;
  const box = newElement(document, "section", notes);
  text.appendChild(box);
}

/** Links each number in the text to the note of that number in a box. */
function linkNumbers(document: DomDocument, box: DomElement): void {
  const notes = numberedNotes(box);
  if (notes.size === 0) return;
  for (const mark of findElements(document.body, "sup")) {
    const number = visibleText(mark).replace(/^[[(]|[\])]$/g, "");
    const note = notes.get(number);
    if (note === undefined || mark.querySelector("a") !== null || findClosest(mark, "a") !== null || box.contains(mark))
      continue;
    if (note.id === "") note.setAttribute("id", `note-${number}`);
    linkTo(document, mark, note.id);
  }
}

/** The entries of a list in a box, or its paragraphs that begin with a number. */
function numberedNotes(box: DomElement): Map<string, DomElement> {
  const notes = new Map<string, DomElement>();
  for (const list of findElements(box, "ol")) {
    const start = Number.parseInt(list.getAttribute("start") ?? "1", 10) || 1;
    const entries = [...list.children].filter(({ localName }) => localName === "li");
    for (const [index, entry] of entries.entries()) notes.set(String(start + index), entry);
  }
  for (const paragraph of findElements(box, "p,div")) {
    const [, number] = /^\W?(\d{1,3})\b/.exec(visibleText(paragraph)) ?? [];
    const first = findElements(paragraph, "sup,b,strong")[0];
    if (number !== undefined && first && visibleText(first).startsWith(number) && !notes.has(number))
      notes.set(number, paragraph);
  }
  return notes;
}

function linkTo(document: DomDocument, mark: DomElement, id: string): void {
  const [old] = findElements(mark, "a");
  const link = old ?? newElement(document, "a", listChildren(mark));
  link.setAttribute("href", `#${id}`);
  if (old === undefined) mark.appendChild(link);
}

/** A note as the page has it. */
export interface Note {
  id: string;
  isEntry: boolean;
  markup: string;
}

/** The notes of a page: the places to which numbers and signs in its text lead. Read before anything is removed. */
export function findNotes(document: DomDocument, options: { images: boolean }): Note[] {
  const marked = new Map(
    elementsWith(document.body, anchorAttribute).map((one) => [one.getAttribute(anchorAttribute) ?? "", one]),
  );
  if (marked.size === 0) return [];
  const places = new Map<DomElement, string>();
  const order = new Map(findElements(document.body, `a,${blocks}`).map((element, index) => [element, index]));
  const isBefore = (one: DomElement, other: DomElement) => (order.get(one) ?? 0) < (order.get(other) ?? 0);
  for (const link of order.keys()) {
    if (link.localName !== "a") continue;
    const [, fragment] = /#([\s\S]+)/.exec(link.getAttribute("href") ?? "") ?? [];
    const target = fragment === undefined ? undefined : marked.get(decodeUrlPart(fragment));
    if (target === undefined || !noteMark.test(visibleText(link))) continue;
    const block = findClosest(target, blocks);
    // A mark leads forward to its note; the note leads back to the mark.
    if (block !== null && !block.contains(link) && isBefore(link, block)) places.set(block, fragment ?? "");
  }
  return [...places].slice(0, maxNotes).map(([block, id]) => {
    const parts = [block, ...findContinuation(block, places)];
    const isEntry = block.localName === "li";
    const holder = document.createElement("div");
    const content = parts.map((part) => {
      const copy = (part as unknown as { cloneNode(deep: boolean): DomElement }).cloneNode(true);
      holder.appendChild(copy);
      return copy;
    });
    if (!contains(holder, "p,li")) content[0]?.setAttribute(anchorAttribute, id);
    return { id, isEntry, markup: serializeChildren(holder, options) };
  });
}

/** "1", "[2]", "*", "note 3". */
const noteMark = /^[[(]?\s*(?:note\s)?(?:\d{1,3}|[a-z]|[*†‡§¶#]{1,3}|[ivx]{1,5})\s*[\])]?$/i;
const blocks = "li,p,div,dd,dt,aside,tr,blockquote,section,h3,h4,h5,h6";
const maxNotes = 500;

/** The elements after a note that is a heading or a term, up to the next one. */
function findContinuation(block: DomElement, places: ReadonlyMap<DomElement, string>): DomElement[] {
  if (!/^(?:h\d|dt)$/.test(block.localName)) return [];
  const parts: DomElement[] = [];
  for (let next = block.nextElementSibling; next !== null && !places.has(next); next = next.nextElementSibling)
    parts.push(next);
  return parts;
}

/** An article with the notes that its links lead to and that it has lost. */
export function withNotes(article: string, notes: readonly Note[]): string {
  const lost = notes.filter(({ id }) => {
    const [plain, encoded] = [escapeHtml(id), encodeURIComponent(id)];
    const isLinked = article.includes(`#${plain}"`) || article.includes(`#${encoded}"`);
    return isLinked && !article.includes(` id="${plain}"`);
  });
  if (lost.length === 0) return article;
  const list = lost.every(({ isEntry }) => isEntry) ? "ol" : "section";
  return `${article}<hr><${list}>${lost.map(({ markup }) => markup).join("\n")}</${list}>`;
}
