// SPDX-License-Identifier: MIT

import {
  articleAttributes,
  articleElements,
  mathAttributes,
  mathElements,
} from "@reading-list/core/domain/article-markup.ts";
import { laterTexts } from "../../kit/later-texts.ts";

const elements = new Set(articleElements);
const formulaElements = new Set(mathElements);
const mathMl = "http://www.w3.org/1998/Math/MathML";
/** Elements whose content is not text of the article. */
const dropped = "script, style, noscript, template, textarea, select, iframe, object, title, svg, head";

/**
 * A sink of Trusted Types takes markup only from here. It is parsed into a document without scripts and requests
 * (`copyArticle`), or it is the frame's, which has neither (`article-frame.tsx`).
 */
const policy = window.trustedTypes?.createPolicy("article", { createHTML: (html) => html });
export const trusted = (html: string): string => policy?.createHTML(html) ?? html;

/** Shows the picture of an address in an image; false if the service has not saved that picture. */
export type ShowPicture = (image: HTMLImageElement, address: string) => boolean;

/**
 * A copy of an article for a document, element by element, so that it contains only text, images and links. The service
 * has cleaned the article already; this makes a faulty service harmless. Without `show`, pictures are left out with
 * their captions. A picture without a saved copy is left out, but its caption stays, or becomes a link that says so.
 */
export function copyArticle(html: string, into: Document, show?: ShowPicture): HTMLElement {
  const parsed = new DOMParser().parseFromString(trusted(html), "text/html");
  const article = into.createElement("section");
  article.dir = "auto";
  copyChildren(parsed.body, article, show);
  return article;
}

/** Prefix of the ids in a text view, such as for footnotes, and of the links to them (docs/api.md 9.2). */
const idPrefix = "text-";

/** The element of an article that a link leads to. */
export function findTarget({ hash }: HTMLAnchorElement, content: Document): HTMLElement | null {
  return hash.startsWith(`#${idPrefix}`) ? content.getElementById(decodeURIComponent(hash.slice(1))) : null;
}

/** Pictures of the view; a picture that its site does not serve is an empty link (docs/api.md 4.9). */
const pictures = "img, a[href]:empty";

function copyChildren(from: Node, to: Element, show: ShowPicture | undefined): void {
  for (const child of from.childNodes) {
    if (child instanceof Text) to.append(child.data);
    if (!(child instanceof Element) || child.matches(dropped)) continue;
    const isImage = child.matches(pictures) || (child.localName === "figure" && child.querySelector(pictures));
    if (isImage && !show) continue;
    if (child.localName === "img") {
      copyImage(child, to, show);
      continue;
    }
    const isKnown = (child.namespaceURI === mathMl ? formulaElements : elements).has(child.localName);
    copyChildren(child, isKnown ? appendCopy(child, to) : to, show);
  }
}

function copyImage(image: Element, to: Element, show: ShowPicture | undefined): void {
  const copy = to.ownerDocument.createElement("img");
  copy.alt = image.getAttribute("alt") ?? "";
  // An image within a sentence is a formula or a symbol.
  if (/\S/.test(image.parentElement?.closest("p, li, td")?.textContent ?? "")) copy.className = "inline";
  if (show?.(copy, image.getAttribute("src") ?? "")) to.append(copy);
}

/** Appends a copy of an element without its children; returns the element for them. */
function appendCopy(element: Element, to: Element): Element {
  const { localName } = element;
  const isFormula = element.namespaceURI === mathMl;
  const copy = to.ownerDocument.createElementNS(element.namespaceURI, localName);
  const allowed = isFormula ? mathAttributes : articleAttributes;
  for (const name of ["id", ...(allowed["*"] ?? []), ...(allowed[localName] ?? [])]) {
    const value = element.getAttribute(name);
    if (value !== null && isAllowed(name, value)) copy.setAttribute(name, value);
  }
  if (isFormula) {
    to.append(copy);
    return copy;
  }
  const fragment = element.getAttribute("href");
  if (fragment?.startsWith(`#${idPrefix}`)) {
    // The address of the frame: elsewhere a fragment would be one of the reader's page.
    copy.setAttribute("href", `about:srcdoc${fragment}`);
  } else if (copy.matches("a")) {
    copy.setAttribute("target", "_blank");
    copy.setAttribute("rel", "noopener noreferrer");
    if (element.matches(pictures)) showMissing(copy as HTMLElement, copy.getAttribute("title") ?? "");
  }
  to.append(copy);
  if (localName !== "table") return copy;
  // A wide table scrolls in its own box.
  const box = to.ownerDocument.createElement("div");
  box.className = "scrolls";
  copy.replaceWith(box);
  box.append(copy);
  return copy;
}

/**
 * Makes a link or a button the frame of a missing picture. Its texts are not part of the article's text, in which highlights
 * and progress count.
 */
export function showMissing(element: HTMLElement, alt: string): HTMLElement {
  const { missingPicture, retryPicture } = laterTexts.article;
  const note = element.localName === "button" ? retryPicture : missingPicture;
  element.className = "missing";
  Object.assign(element.dataset, { alt, note });
  element.setAttribute("aria-label", [alt, note].filter(Boolean).join(" – "));
  return element;
}

function isAllowed(name: string, value: string): boolean {
  if (name === "id") return value.startsWith(idPrefix);
  if (name === "href") return /^(https?|mailto):/i.test(value);
  return true;
}
