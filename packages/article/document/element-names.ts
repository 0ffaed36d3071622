import type { DomElement } from "./dom.ts";

/** The words of an element's class and id in lower case: four for `shareBar related_links`. */
export function nameWordsOf(element: DomElement): string[] {
  const names = `${element.getAttribute("class") ?? ""} ${element.getAttribute("id") ?? ""}`;
  return names
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== "");
}
