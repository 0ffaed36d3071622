// SPDX-License-Identifier: MIT

import { escapeText } from "@reading-list/core/domain/escape.ts";
import { parseHTML } from "linkedom";
import { type DefaultTreeAdapterTypes, parse, html as parse5Html, parseFragment } from "parse5";
import { type DomDocument, type DomElement, type DomNode, newElement } from "./dom.ts";
import { createFigure } from "./drawings.ts";
import { imageSource } from "./link-target.ts";
import { copyMath, isMath } from "./math.ts";
import { createPageElements } from "./page-element.ts";

/**
 * Parses a page. parse5 repairs malformed markup as browsers do; linkedom, which Readability needs, does not, so the tree
 * of parse5 is copied into linkedom. The copy omits what no view needs (comments, styles, drawings, most attributes) and
 * limits depth, nodes and attribute lengths, to bound the work on a hostile page.
 */
export function parsePage(html: string): PageSource {
  return parse(asHtml(html), { scriptingEnabled: false });
}

/** linkedom gives each node and attribute a map of listeners: a quarter of the time to read a page, where nothing listens. */
function keepNoListeners(): void {
  let made: object | null = parseHTML("").document.createTextNode("").constructor;
  while (made !== null && Object.getPrototypeOf(made)?.name !== "DOMEventTarget") made = Object.getPrototypeOf(made);
  if (made !== null) Object.setPrototypeOf(made, class {});
}
keepNoListeners();

/** The tree of parse5. Documents are copies of it. */
export type PageSource = DefaultTreeAdapterTypes.Document;

/** A document for linkedom and Readability, which change it. */
export function copyPage(source: PageSource, url: string): DomDocument {
  const document: DomDocument = parseHTML("<!doctype html>").document as never;
  createPageElements(document);
  const parts = ["head", "body"].map((name) => document.createElement(name));
  document.appendChild(newElement(document, "html", parts));
  const root = source.childNodes.find(isSourceElement);
  const copy = new TreeCopy();
  for (const part of root?.childNodes.filter(isSourceElement) ?? []) {
    if (part.tagName === "head") copy.children(part, document.head);
    else if (part.tagName === "frameset") copy.children(framelessBody(part), document.body);
    else if (part.tagName === "body") {
      copy.attributes(part, document.body);
      copy.children(part, document.body);
    }
  }
  if (root !== undefined) copy.attributes(root, document.documentElement);
  const pageUrl = URL.parse(url)?.href ?? "about:invalid";
  Object.defineProperty(document, "documentURI", { value: pageUrl });
  // The base of relative links: `<base>` if it is an http(s) URL, else the page's URL.
  const { base = "" } = copy;
  const baseUrl = base.length > maxBaseLength ? undefined : imageSource(base, pageUrl);
  Object.defineProperty(document, "baseURI", { value: baseUrl ?? pageUrl });
  return document;
}

/** The start of an XML document: an XML declaration, or `<html xmlns>`. */
const xmlStart = /^\ufeff?\s*(?:<\?xml\s|(?:<!doctype[^>]*>\s*)?<html[^>]*\sxmlns\s*=)/i;
const startLength = 2048;
const opening = /<!\[CDATA\[|<(?:script|style)(?=[\s>/])[^<>]*>/gi;
const emptyElement = /<([a-z][\w:.-]*)((?:\s[^<>]*["'\s])?)\/>/gi;
const voidElements = /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/i;

/** Rewrites XML as HTML, which has neither CDATA nor empty elements like `<script src="a.js"/>`. Other markup is unchanged. */
const asHtml = (markup: string) => (xmlStart.test(markup.slice(0, startLength)) ? withoutXmlSyntax(markup) : markup);

/**
 * Replaces CDATA sections by their text and empty elements by pairs of tags. The content of scripts and styles is copied
 * unchanged; the marker of a CDATA section that never ends is ignored. No end is searched twice without success, so the
 * cost is linear.
 */
function withoutXmlSyntax(markup: string): string {
  const lastEnd = markup.lastIndexOf("]]>");
  let html = "";
  let position = 0;
  for (const { 0: open, index } of markup.matchAll(opening)) {
    if (index < position) continue;
    html += withoutEmptyElements(markup.slice(position, index));
    position = index + open.length;
    if (open === "<![CDATA[") {
      if (position > lastEnd) continue;
      const text = markup.slice(position, markup.indexOf("]]>", position));
      html += escapeText(text);
      position += text.length + "]]>".length;
    } else if (open.endsWith("/>")) {
      html += withoutEmptyElements(open);
    } else {
      const length = markup.slice(position).search(/^<script/i.test(open) ? /<\/script/i : /<\/style/i);
      position = length < 0 ? markup.length : position + length;
      html += markup.slice(index, position);
    }
  }
  return html + withoutEmptyElements(markup.slice(position));
}

function withoutEmptyElements(markup: string): string {
  return markup.replace(emptyElement, (whole, name: string, attributes: string) =>
    voidElements.test(name) ? whole : `<${name}${attributes}></${name}>`,
  );
}

type SourceNode = DefaultTreeAdapterTypes.ChildNode;
type SourceElement = DefaultTreeAdapterTypes.Element;

/** Deeper elements become siblings, as in browsers (whose limit is 512). Real pages are less than 60 deep. */
const maxDepth = 120;
/** The rest of a larger page is ignored. */
const maxNodes = 150_000;
const maxAttributeLength = 4096;
/** Of an article that a page declares in a `<meta>`. */
const maxTextLength = 200_000;
const maxAttributesOfImage = 30;

const droppedElements = new Set(["style", "svg", "canvas", "applet", "frameset"]);
const imageElements = new Set(["img", "source", "picture", "figure", "amp-img", "meta", "iframe", "embed"]);

/** Attributes that a rule or the output reads. Images and frames keep all of theirs, because any may contain the URL. */
// biome-ignore format: a line holds many short names
const keptAttributes = new Set([
  "id", "class", "role", "hidden", "aria-hidden", "aria-label", "aria-controls", "aria-expanded", "style", "title",
  "lang", "xml:lang", "dir", "href", "rel", "src", "alt", "type", "name", "value", "action", "content", "property",
  "itemprop", "itemtype", "datetime", "colspan", "rowspan", "start", "open", "summary", "data-src", "data-role",
  "component", "data-bs-target", "data-target", "videoid", "data-videoid", "autoplay", "muted", "controls",
  "data-href", "data-instgrm-permalink", "data-math", "data-definition", "data-callout", "data-lang", "slot",
  "author", "data-author", "post-title", "content-href", "created-timestamp", "placeholder", "data-cfemail",
  "data-formula", "data-latex", "data-tex", "data-expr", "data-value", "data-katex", "data-equation", "data-line", "face",
  "aria-level", "aria-modal", "readonly",
]);

/** Of custom elements that are cards. */
const cardAttributes = new Set(["heading", "headline", "description", "subtitle", "url", "path", "link"]);

function isSourceElement(node: SourceNode): node is SourceElement {
  return "tagName" in node;
}

/** The content of `<noframes>`, which replaces a frameset. */
function framelessBody(frameset: SourceElement): DefaultTreeAdapterTypes.DocumentFragment {
  const frameless = frameset.childNodes.filter(isSourceElement).filter(({ tagName }) => tagName === "noframes");
  const texts = frameless.flatMap(({ childNodes }) => childNodes).map((node) => ("value" in node ? node.value : ""));
  return parseFragment(texts.join(""), { scriptingEnabled: false });
}

/** A node to copy, and the element that it goes into. */
interface Place {
  node: SourceNode;
  target: DomElement;
  depth: number;
  light: LightTree | undefined;
}

/** The children of an element with a shadow tree, which its slots show. */
interface LightTree {
  nodes: readonly SourceNode[];
  outer: LightTree | undefined;
}

/** Chrome had the older name until version 124. */
const shadowRoot = /^shadowroot(?:mode)?$/;

/** The content of a declarative shadow root, which a browser shows instead of the element's children. */
function findShadow({ childNodes }: SourceElement): readonly SourceNode[] | undefined {
  for (const node of childNodes)
    if (node.nodeName === "template" && (node as SourceElement).attrs.some(({ name }) => shadowRoot.test(name)))
      return (node as DefaultTreeAdapterTypes.Template).content.childNodes;
  return undefined;
}

/** The nodes that a slot of a shadow tree shows; undefined for other nodes, and for a slot that shows its own content. */
function slottedInto({ node, light }: Place): readonly SourceNode[] | undefined {
  if (light === undefined || !isSourceElement(node) || node.tagName !== "slot") return undefined;
  const readName = (element: SourceElement, attribute: string) =>
    element.attrs.find(({ name }) => name === attribute)?.value ?? "";
  const slot = readName(node, "name");
  const nodes = light.nodes.filter((child) =>
    isSourceElement(child)
      ? child.tagName !== "template" && readName(child, "slot") === slot
      : slot === "" && "value" in child && child.value.trim() !== "",
  );
  return nodes.length > 0 ? nodes : undefined;
}

const isDeclaredArticle = ({ tagName, attrs }: SourceElement) =>
  tagName === "meta" && attrs.some(({ name, value }) => name === "itemprop" && value === "articleBody");

/** The formula in a script that MathJax 2 reads. */
function formulaIn(node: SourceNode): SourceElement | undefined {
  if (node.nodeName !== "script" || !isSourceElement(node)) return undefined;
  if (!node.attrs.some(({ name, value }) => name === "type" && /^math\/mml/i.test(value))) return undefined;
  const markup = node.childNodes.map((child) => ("value" in child ? child.value : "")).join("");
  return parseFragment(markup).childNodes.filter(isSourceElement).find(isMath);
}

/** Copies parse5's tree into a linkedom document. */
class TreeCopy {
  /** The `href` of the first `<base>` that has one. */
  base: string | undefined;
  #nodes = 0;

  children(source: DefaultTreeAdapterTypes.ParentNode, target: DomElement): void {
    const pending: Place[] = [];
    const add = (nodes: readonly SourceNode[], { target, depth, light }: Omit<Place, "node">) => {
      for (let index = nodes.length - 1; index >= 0; index--)
        pending.push({ node: nodes[index] as SourceNode, target, depth, light });
    };
    add(source.childNodes, { target, depth: 0, light: undefined });
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (++this.#nodes > maxNodes) return;
      next.node = formulaIn(next.node) ?? next.node;
      const slotted = slottedInto(next);
      if (slotted !== undefined) {
        add(slotted, { target: next.target, depth: next.depth, light: next.light?.outer });
        continue;
      }
      // An object is replaced by its fallback content.
      const copied = next.node.nodeName === "object" ? next.target : this.#node(next.node, target.ownerDocument);
      if (copied === undefined) continue;
      if (copied !== next.target) next.target.appendChild(copied);
      if (!isSourceElement(next.node) || isMath(next.node) || next.node.tagName === "svg") continue;
      const inner = next.depth < maxDepth ? (copied as DomElement) : next.target;
      const place = { target: inner, depth: Math.min(next.depth + 1, maxDepth), light: next.light };
      const shadow = findShadow(next.node);
      if (shadow === undefined) add(next.node.childNodes, place);
      else add(shadow, { ...place, light: { nodes: next.node.childNodes, outer: next.light } });
    }
  }

  attributes(source: SourceElement, target: DomElement): void {
    const takesAll = imageElements.has(source.tagName);
    const isCustom = source.tagName.includes("-");
    const maxLength = isDeclaredArticle(source) ? maxTextLength : maxAttributeLength;
    for (const { name, value } of takesAll ? source.attrs.slice(0, maxAttributesOfImage) : source.attrs) {
      const isKept = takesAll || keptAttributes.has(name) || (isCustom && cardAttributes.has(name));
      if (!isKept || value.length > maxLength) continue;
      if (name === "href" && source.tagName === "base") this.base ??= value;
      target.setAttribute(name, value);
    }
  }

  #node(source: SourceNode, document: DomDocument): DomNode | undefined {
    if (source.nodeName === "#text") return document.createTextNode((source as { value: string }).value);
    if (!isSourceElement(source)) return undefined;
    if (source.tagName === "svg") return createFigure(source, document);
    if (!isCopied(source)) return undefined;
    if (isMath(source)) return copyMath(source, document);
    const element = document.createElement(source.tagName);
    this.attributes(source, element);
    return element;
  }
}

/** Copies only those templates that are places of streamed parts, and those scripts that are JSON-LD, TeX or embedded gists. */
function isCopied({ tagName, namespaceURI, attrs }: SourceElement): boolean {
  if (namespaceURI === parse5Html.NS.SVG || droppedElements.has(tagName)) return false;
  const attribute = (name: string) => attrs.find((one) => one.name === name)?.value ?? "";
  if (tagName === "template") return /^[BP]:/.test(attribute("id"));
  if (tagName !== "script") return true;
  const isData = /^(?:application\/ld\+json\b|math\/(?:tex|asciimath))/i.test(attribute("type"));
  return isData || attribute("src").startsWith("https://gist.github.com/");
}

/** A longer base would make the output large: it is repeated in every relative link. */
const maxBaseLength = 2048;
