// SPDX-License-Identifier: MIT

import {
  contains,
  type DomDocument,
  type DomElement,
  findClosest,
  findElements,
  hasText,
  moveChildren,
  newElement,
  toLetters,
  visibleText,
} from "./dom.ts";
import { readClass } from "./element-names.ts";
import { blocks, isAmongParagraphs } from "./lines.ts";

/**
 * Moves notes that a style sheet shows in the margin out of their sentence, after its paragraph, and removes the sign that
 * shows them on a narrow screen.
 */
export function placeMarginNotes(document: DomDocument): void {
  let text: string | undefined;
  let asides = 0;
  // A box that repeats a sentence of the text adds nothing.
  const isAddition = (aside: DomElement) => {
    if (++asides > maxAsides || !isAmongParagraphs(aside)) return false;
    text ??= toLetters(document.body.textContent);
    const letters = toLetters(aside.textContent);
    return text.indexOf(letters) === text.lastIndexOf(letters);
  };
  const last = new Map<DomElement, DomElement>();
  for (const note of findElements(document.body, "span,small,aside,label,d-footnote")) {
    const name = readClass(note);
    if (note.localName === "label") {
      if (toggleName.test(name) || isToggle(note)) note.remove();
      continue;
    }
    const isNote = noteName.test(name) || note.localName === "d-footnote" || note.getAttribute("role") === "note";
    const paragraph = isNote && hasText(note) ? findClosest(note.parentElement, paragraphs) : null;
    // Readability removes every `aside`.
    if (paragraph === null && note.localName === "aside" && (isNote ? isAfterParagraph(note) : isAddition(note)))
      note.replaceWith(moveChildren(note, contains(note, blocks) ? "div" : "p"));
    if (paragraph === null || visibleText(paragraph) === visibleText(note)) continue;
    note.replaceWith(document.createTextNode(""));
    const moved = newElement(document, "p", [note]);
    const place = last.get(paragraph) ?? paragraph;
    if (paragraph.localName === "p") place.parentElement?.insertBefore(moved, place.nextSibling);
    else paragraph.appendChild(moved);
    last.set(paragraph, moved);
  }
}

/** Bounds the work: the whole text is searched for each. */
const maxAsides = 50;

const isAfterParagraph = (note: DomElement) => note.previousElementSibling?.localName === "p";

/** A label of one sign that checks the field after it. */
const isToggle = (label: DomElement) =>
  label.nextElementSibling?.getAttribute("type") === "checkbox" &&
  !contains(label, "img") &&
  /^[^\p{L}\p{N}]{0,2}$/u.test(visibleText(label));

const noteName = /(?:^|[\s_-])(?:side|margin)-?notes?(?:$|\s)/i;
const toggleName = /(?:^|\s)margin-toggle(?:$|\s)/;
const paragraphs = "p,li,dd,td,blockquote";
