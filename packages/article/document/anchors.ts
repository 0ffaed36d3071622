// SPDX-License-Identifier: MIT

import { escapeHtml } from "@reading-list/core/domain/escape.ts";
import { type DomDocument, type DomElement, elementsWith, findElements, hasText } from "./dom.ts";
import { decodeUrlPart } from "./link-target.ts";

/** The attribute that marks targets, because Readability removes elements by their id. */
export const anchorAttribute = "data-anchor";

/** Marks the elements that links of the page itself lead to: notes, and the sections of a table of contents. */
export function markAnchors({ document, url }: { document: DomDocument; url: URL }): void {
  const links = findElements(document.body, "a");
  const linked = new Set(links.map((link) => findFragment(link.getAttribute("href") ?? "", document.baseURI, url)));
  linked.delete("");
  for (const element of linked.size === 0 ? [] : elementsWith(document.body, "id,name")) {
    if (element.localName !== "a" && !element.hasAttribute("id")) continue;
    const id = element.id || (element.getAttribute("name") ?? "");
    if (!linked.has(id)) continue;
    let target: DomElement | null = element;
    // An empty target is not written.
    while (target !== null && !hasText(target)) target = target.nextElementSibling ?? target.parentElement;
    if (target !== null && target !== document.body) target.setAttribute(anchorAttribute, id);
  }
}

/** Empty unless a link leads to a place on the page itself. */
function findFragment(href: string, baseUrl: string, page: URL): string {
  const url = href.includes("#") ? URL.parse(href, baseUrl) : null;
  if (url === null || url.href.split("#")[0] !== page.href.split("#")[0]) return "";
  return decodeUrlPart(url.hash.slice(1));
}

/** Makes links of a clean view of the page at `url` lead to their targets in the view, as `#text-…`. Removes other ids. */
export function linkWithin(html: string, url: string): string {
  const ids = new Set([...html.matchAll(idInTag)].map(([, , id = ""]) => id));
  if (ids.size === 0) return html;
  const linked = new Set<string>();
  const [page] = escapeHtml(url).split("#");
  const links = html.replace(/<a href="([^"#]*)#([^"]+)"/g, (whole, target: string, fragment: string) => {
    const id = `${idPrefix}${decodeUrlPart(fragment)}`;
    if (target !== page || !ids.has(id)) return whole;
    linked.add(id);
    return `<a href="#${id}"`;
  });
  return links.replace(idInTag, (whole, start: string, id: string) => (linked.has(id) ? whole : start));
}

/** Prevents conflicts between the ids of a view and the ids of the page that shows it. */
export const idPrefix = "text-";
const idInTag = /(<[a-z][^<>]*?) id="([^"]*)"/g;
