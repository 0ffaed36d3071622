// SPDX-License-Identifier: MIT

import { escapeHtml, escapeText } from "@reading-list/core/domain/escape.ts";
import { anchorAttribute } from "./anchors.ts";
import { closestThat, type DomElement, type DomNode, findBeside, findClosest, isElement, textNode } from "./dom.ts";
import { imageSource, linkTarget } from "./link-target.ts";

/**
 * The inner HTML of an element, well formed and fully escaped, so that every parser reads back the same tree. linkedom's
 * own `innerHTML` does not escape `&` and `<` in attributes. Controls, media, unwanted images, empty elements and the tags
 * of links that lead nowhere are omitted.
 */
export function serializeChildren(element: DomElement, options: { images: boolean }): string {
  let markup = "";
  for (let child = element.firstChild; child !== null; child = child.nextSibling) markup += serialize(child, options);
  return markup;
}

/** The attribute with the markup of a formula, which is written instead of its element (`math.ts`). */
export const mathAttribute = "data-mathml";

function serialize(node: DomNode, options: { images: boolean }): string {
  if (node.nodeType === textNode) return escapeText(node.textContent);
  if (!isElement(node)) return "";
  // Readability creates elements with upper-case names.
  const tag = node.localName.toLowerCase();
  if (notWritten.has(tag)) return "";
  const { baseURI } = node.ownerDocument;
  if (tag === "img" || tag === "amp-img") {
    const isShown = options.images && imageSource(node.getAttribute("src"), baseURI) !== undefined;
    return isShown ? `<img${writeAttributes(node)}>` : "";
  }
  if (tag === "hr" && isBeforeRule(node)) return "";
  if (tag === "br" || tag === "hr" || tag === "wbr") return `<${tag}>`;
  const formula = node.getAttribute(mathAttribute);
  if (formula !== null) return formula;
  const content = serializeChildren(node, options);
  if (!keptWhenEmpty.has(tag) && (tag === "tr" ? emptyRow : onlySpace).test(content))
    return tag === "tr" ? "" : content.replace(invisible, "");
  // Such as Word's `<st1:place>`.
  if (!plainName.test(tag)) return content;
  if (tag === "a" && linkTarget(node.getAttribute("href"), baseURI) === undefined) return content;
  const name = isMisplaced(node, tag, content) ? "div" : tag;
  if (name === "div" && onlySpace.test(content)) return content;
  return `<${name}${writeAttributes(node)}>${content}</${name}>`;
}

/** Whether the next thing after a rule is another rule. */
function isBeforeRule(rule: DomElement): boolean {
  const next = findBeside(rule, "nextSibling");
  return isElement(next) && next.localName.toLowerCase() === "hr";
}

/** Readability makes paragraphs of boxes that contain only a heading, and takes a cell or row as the article. */
function isMisplaced(node: DomElement, tag: string, content: string): boolean {
  if (tag === "p") return blockInside.test(content);
  return tableParts.has(tag) && findClosest(node, "table") === null;
}

const tableParts = new Set(["caption", "thead", "tbody", "tfoot", "tr", "td", "th"]);
const blockInside =
  /<(?:address|article|aside|blockquote|dd|details|div|dl|dt|figure|figcaption|footer|h[1-6]|header|hr|li|main|nav|ol|p|pre|section|table|ul)[\s>]/;
const plainName = /^[a-z][a-z0-9-]*$/;
const emptyRow = /^(?:\s|<\/?t[dh](?:\s[^>]*)?>|<[bw]b?r>)*$/;
const onlySpace = /^(?:[\u200d\s\u00ad\u200b\u2060\ufeff]|<[bw]b?r>)*$/;
const invisible = /[\u200d\u00ad\u200b\u2060\ufeff]/g;
const keptWhenEmpty = new Set(["td", "th"]);

/** Controls, media, and elements whose content parsers read differently. None contains text to read. */
const notWritten = new Set(
  (
    "script style xmp iframe noembed noframes noscript plaintext textarea title template select option " +
    "math svg input button datalist audio video canvas object embed applet frame frameset source track " +
    "param link meta base area map col"
  ).split(" "),
);

const writtenAttributes = ["href", "src", "alt", "title", "colspan", "rowspan", "start", "datetime", "lang", "dir"];

function writeAttributes(element: DomElement): string {
  const anchor = element.getAttribute(anchorAttribute);
  let attributes = anchor === null ? "" : ` id="${escapeHtml(anchor)}"`;
  for (const name of writtenAttributes) {
    const value = element.getAttribute(name);
    if (name === "dir" && value !== null && isInherited(element, value)) continue;
    if (value !== null) attributes += ` ${name}="${escapeHtml(value)}"`;
  }
  return attributes;
}

/** Whether an element has the same direction as the nearest element around it that has one. */
function isInherited({ parentElement }: DomElement, dir: string): boolean {
  return closestThat(parentElement, (around) => around.hasAttribute("dir"))?.getAttribute("dir") === dir;
}
