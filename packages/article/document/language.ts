// SPDX-License-Identifier: MIT

import { contains, type DomDocument, type DomElement, elementsWith, moveChildren, visibleText } from "./dom.ts";

/** The language and writing direction that a page declares, as attributes; empty if it declares neither. */
export function findLanguage(document: DomDocument): string {
  const declared = (name: string) =>
    [document.body, document.documentElement].map((element) => element.getAttribute(name)?.trim() ?? "").find(Boolean);
  const lang = declared("lang") ?? declared("xml:lang");
  const outermost = elementsWith(document.body, "dir")
    .filter((element) => element.getAttribute("dir")?.toLowerCase() === "rtl")
    .slice(0, maxWrappers);
  const max = outermost.length === 0 ? 0 : visibleText(document.body).length * maxShareOfPage;
  const isWrapped = outermost.some((element) => visibleText(element).length > max);
  const isRightToLeft = isWrapped || (lang !== undefined && rightToLeft.test(lang));
  const dir = declared("dir")?.toLowerCase() ?? (isRightToLeft ? "rtl" : undefined);
  const direction = dir === "rtl" || dir === "ltr" ? ` dir="${dir}"` : "";
  return lang !== undefined && languageTag.test(lang) ? `${direction} lang="${lang}"` : direction;
}

/**
 * Copies the direction of a box, if it differs from the page's, to the elements in it, because Readability removes
 * boxes.
 */
export function keepDirections(document: DomDocument): void {
  const [, page = "ltr"] = /dir="(\w+)"/.exec(findLanguage(document)) ?? [];
  const spread = (element: DomElement, dir: string) => {
    for (const child of element.children) {
      if (child.hasAttribute("dir") || !boxes.has(child.localName)) continue;
      child.setAttribute("dir", dir);
      spread(child, dir);
    }
  };
  for (const box of elementsWith(document.body, "dir")) {
    const dir = box.getAttribute("dir")?.toLowerCase();
    if (dir === page || (dir !== "rtl" && dir !== "ltr")) continue;
    if (box.localName === "div" && !contains(box, boxes)) box.appendChild(moveChildren(box, "p"));
    spread(box, dir);
  }
}

const boxes = new Set(
  "p div section article main pre hr img ul ol li dl dd table tbody tr td th blockquote figure h1 h2 h3 h4 h5 h6".split(
    " ",
  ),
);

/** Wraps a fragment that is not empty in an element with the page's language and direction, if it declares any. */
export function withLanguage(html: string, language: string): string {
  return html === "" || language === "" ? html : `<div${language}>${html}</div>`;
}

const maxShareOfPage = 0.5;
/** Bounds the work on a hostile page. */
const maxWrappers = 20;
/** Languages that are always written from right to left. Many of their pages set the direction in a style sheet. */
const rightToLeft = /^(?:ar|arc|ckb|dv|fa|he|iw|ps|sd|syr|ug|ur|yi)\b(?!-latn)/i;
export const languageTag = /^[a-z]{2,8}(?:[-_][a-z0-9]{1,8})*$/i;
