// SPDX-License-Identifier: MIT

import type { DomElement } from "./dom.ts";

/** Whether a word of an element's class or id is one of these names. */
export function isNamed(element: DomElement, names: ReadonlySet<string>): boolean {
  return readNameWords(element).some((word) => names.has(word));
}

/** Hides an element from rules that go by class and id. */
export function removeNames(element: DomElement): void {
  element.removeAttribute("class");
  element.removeAttribute("id");
}

/** The class of an element. linkedom's `className` joins a set of words at each call. */
export const readClass = (element: DomElement): string => element.getAttributeNode("class")?.value ?? "";

/** The words of an element's class and id in lower case: four for `shareBar related_links`. */
export function readNameWords(element: DomElement): readonly string[] {
  const names = `${readClass(element)} ${element.id}`;
  let words = wordsOfNames.get(names);
  if (words === undefined) {
    words =
      names
        .replace(/([a-z])([A-Z])/g, "$1 $2")
        .toLowerCase()
        .match(/[a-z]+/g) ?? [];
    if (wordsOfNames.size >= maxNames) wordsOfNames.clear();
    wordsOfNames.set(names, words);
  }
  return words;
}

/** A page repeats its names, and several rules read them. */
const wordsOfNames = new Map<string, readonly string[]>();
const maxNames = 5000;
