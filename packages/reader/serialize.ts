import { type DomElement, type DomNode, isElement, textNode } from "./dom.ts";

/**
 * The markup of what an element holds, well formed and fully escaped, so that any parser reads back what stands in the
 * tree; linkedom's own `innerHTML` leaves `&` and `<` in attributes as they are. Elements that show nothing are left out:
 * controls, media, images unless they are wanted, and what is empty without them.
 */
export function serializeChildren(element: DomElement, options: { images: boolean }): string {
  let markup = "";
  for (let child = element.firstChild; child !== null; child = child.nextSibling) markup += serialize(child, options);
  return markup;
}

function serialize(node: DomNode, options: { images: boolean }): string {
  if (node.nodeType === textNode) return escapeText(node.textContent);
  if (!isElement(node)) return "";
  // Readability makes elements in upper case.
  const tag = node.localName.toLowerCase();
  if (notWritten.has(tag) || !plainName.test(tag)) return "";
  if (tag === "img" || tag === "amp-img") return options.images ? `<img${attributesOf(node)}>` : "";
  if (tag === "br" || tag === "hr" || tag === "wbr") return `<${tag}>`;
  const content = serializeChildren(node, options);
  if (!keptWhenEmpty.has(tag) && onlySpace.test(content)) return content;
  return `<${tag}${attributesOf(node)}>${content}</${tag}>`;
}

const plainName = /^[a-z][a-z0-9-]*$/;
const onlySpace = /^(?:\s|<[bw]b?r>)*$/;
const keptWhenEmpty = new Set(["td", "th"]);

/** Elements whose content parsers do not agree on, and controls and media; none of them holds anything to read. */
const notWritten = new Set([
  ...["script", "style", "xmp", "iframe", "noembed", "noframes", "noscript", "plaintext", "textarea", "title"],
  ...[
    "template",
    "select",
    "option",
    "math",
    "svg",
    "input",
    "button",
    "datalist",
    "audio",
    "video",
    "canvas",
    "object",
  ],
  ...["embed", "applet", "frame", "frameset", "source", "track", "param", "link", "meta", "base", "area", "map", "col"],
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
