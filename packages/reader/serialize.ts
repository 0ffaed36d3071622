import { childrenOf, type DomElement, type DomNode, isElement, textNode } from "./dom.ts";

/**
 * The markup of a tree, well formed and fully escaped, so that any parser reads back what stands in the tree; linkedom's
 * own `innerHTML` leaves `&` and `<` in attributes as they are.
 */
export function serialize(node: DomNode): string {
  if (node.nodeType === textNode) return escapeText(node.textContent);
  if (!isElement(node)) return "";
  // Readability makes elements in upper case.
  const tag = node.localName.toLowerCase();
  if (rawTextElements.has(tag) || !plainName.test(tag)) return "";
  if (voidElements.has(tag)) return `<${tag}${attributesOf(node)}>`;
  return `<${tag}${attributesOf(node)}>${serializeChildren(node)}</${tag}>`;
}

/** The markup of what an element holds. */
export function serializeChildren(element: DomElement): string {
  return childrenOf(element).map(serialize).join("");
}

const plainName = /^[a-z][a-z0-9-]*$/;
const voidElements = new Set(["area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"]);

/** Elements whose content parsers do not agree on; none of them holds anything to read. */
const rawTextElements = new Set([
  ...["script", "style", "xmp", "iframe", "noembed", "noframes", "noscript", "plaintext", "textarea", "title"],
  ...["template", "select", "option", "math", "svg"],
]);

const writtenAttributes = ["href", "src", "alt", "title", "colspan", "rowspan", "start", "datetime", "lang", "dir"];

function attributesOf(element: DomElement): string {
  let attributes = "";
  for (const name of writtenAttributes) {
    const value = element.getAttribute(name);
    if (value !== null) attributes += ` ${name}="${escapeText(value).replaceAll('"', "&quot;")}"`;
  }
  return attributes;
}

function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
