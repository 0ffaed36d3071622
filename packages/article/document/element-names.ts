import type { DomElement } from "./dom.ts";

/** Whether a word of an element's class or id is one of these names. */
export function isNamed(element: DomElement, names: ReadonlySet<string>): boolean {
  return nameWordsOf(element).some((word) => names.has(word));
}

/** Hides an element from rules that go by class and id. */
export function removeNames(element: DomElement): void {
  element.removeAttribute("class");
  element.removeAttribute("id");
}

/** The words of an element's class and id in lower case: four for `shareBar related_links`. */
export function nameWordsOf(element: DomElement): string[] {
  const names = `${element.getAttribute("class") ?? ""} ${element.getAttribute("id") ?? ""}`;
  return names
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== "");
}
