import { parseHTML } from "linkedom";
import { type DefaultTreeAdapterTypes, parse, html as parse5Html, parseFragment } from "parse5";
import type { DomDocument, DomElement, DomNode } from "./dom.ts";

/**
 * Parses a page. parse5 repairs malformed markup as browsers do; linkedom, which Readability needs, does not, so the tree
 * of parse5 is copied into linkedom. The copy omits what no view needs (comments, styles, drawings, most attributes) and
 * limits depth, nodes and attribute lengths, to bound the work on a hostile page.
 */
export function parsePage(html: string): PageSource {
  return parse(asHtml(html), { scriptingEnabled: false });
}

/** The tree of parse5, of which documents are copies. */
export type PageSource = DefaultTreeAdapterTypes.Document;

/** A document for linkedom and Readability, which change it. */
export function copyPage(source: PageSource, url: string): DomDocument {
  const document = emptyDocument();
  const root = source.childNodes.find(isSourceElement);
  const copy = new TreeCopy();
  if (root !== undefined) {
    for (const part of root.childNodes.filter(isSourceElement)) {
      if (part.tagName === "head") copy.children(part, document.head);
      else if (part.tagName === "frameset") copy.children(framelessBody(part), document.body);
      else if (part.tagName === "body") {
        copy.attributes(part, document.body);
        copy.children(part, document.body);
      }
    }
    copy.attributes(root, document.documentElement);
  }
  const pageUrl = URL.parse(url)?.href ?? "about:invalid";
  Object.defineProperty(document, "documentURI", { value: pageUrl });
  Object.defineProperty(document, "baseURI", { value: baseOf(copy.base ?? "", pageUrl) });
  return document;
}

/** The start of an XML document: an XML declaration, the root of a feed, or `<html xmlns>`. */
const xmlStart = /^\ufeff?\s*(?:<\?xml\s|<rss[\s>]|<feed[\s>]|(?:<!doctype[^>]*>\s*)?<html[^>]*\sxmlns\s*=)/i;
const startLength = 2048;
const opening = /<!\[CDATA\[|<(?:script|style)(?=[\s>/])[^<>]*>/gi;
const emptyElement = /<([a-z][\w:.-]*)((?:\s[^<>]*["'\s])?)\/>/gi;
const feedItem = /<(?:item|entry)[\s>]/;
const feedRoot = /<(?:rss|feed|rdf:RDF)[\s>]/;
const voidElements = /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/i;

/**
 * Rewrites XML as HTML, which has neither CDATA nor empty elements like `<script src="a.js"/>`. The titles of a feed's
 * items become headings. Other markup is returned unchanged.
 */
function asHtml(markup: string): string {
  const start = markup.slice(0, startLength);
  if (!xmlStart.test(start)) return markup;
  const isFeed = feedRoot.test(start);
  const html = withoutXmlSyntax(markup, isFeed);
  const items = isFeed ? html.search(feedItem) : -1;
  return items < 0 ? html : html.slice(0, items) + html.slice(items).replace(/<(\/?)title(?=[\s>])/g, "<$1h2");
}

/**
 * Replaces CDATA sections by their text and empty elements by pairs of tags. The content of scripts and styles is copied
 * unchanged; the marker of a CDATA section that never ends is ignored. Each end is searched from its start and at most once
 * without success, so the cost is linear.
 */
function withoutXmlSyntax(markup: string, isFeed: boolean): string {
  const parts: string[] = [];
  // Only ASCII, because `toLowerCase` changes the length of some other letters, and so the places.
  const lower = markup.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  const missing = new Set<string>();
  const find = (end: string, from: number) => {
    const place = missing.has(end) ? -1 : lower.indexOf(end, from);
    if (place < 0) missing.add(end);
    return place;
  };
  let position = 0;
  for (const match of markup.matchAll(opening)) {
    if (match.index < position) continue;
    const [open] = match;
    const content = match.index + open.length;
    parts.push(withoutEmptyElements(markup.slice(position, match.index)));
    position = content;
    if (open === "<![CDATA[") {
      const end = find("]]>", content);
      if (end < 0) continue;
      const text = markup.slice(content, end);
      // In a feed the content is nearly always HTML.
      parts.push(isFeed ? text : text.replaceAll("&", "&amp;").replaceAll("<", "&lt;"));
      position = end + "]]>".length;
    } else if (open.endsWith("/>")) {
      parts.push(withoutEmptyElements(open));
    } else {
      const end = find(/^<script/i.test(open) ? "</script" : "</style", content);
      position = end < 0 ? markup.length : end;
      parts.push(markup.slice(match.index, position));
    }
  }
  parts.push(withoutEmptyElements(markup.slice(position)));
  return parts.join("");
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
const maxAttributesOfImage = 30;

const droppedElements = new Set(["style", "template", "svg", "canvas", "applet", "frameset"]);
const imageElements = new Set(["img", "source", "picture", "figure", "amp-img", "meta", "iframe"]);

/** Attributes that a rule or the output reads. Images and frames keep all of theirs, because any may contain the URL. */
const keptAttributes = new Set([
  ...["id", "class", "role", "hidden", "aria-hidden", "aria-label", "aria-controls", "aria-expanded", "style", "title"],
  ...["lang", "xml:lang", "dir", "href", "rel", "src", "alt", "type", "name", "value", "action", "content", "property"],
  ...["itemprop", "itemtype", "datetime", "colspan", "rowspan", "start", "open", "summary", "data-src", "data-role"],
  ...["component", "alttext", "encoding", "data-bs-target", "data-target", "videoid", "data-videoid", "autoplay"],
  ...["controls", "data-href", "data-instgrm-permalink"],
]);

function emptyDocument(): DomDocument {
  const { document } = parseHTML("<!doctype html><html><head></head><body></body></html>");
  return document as unknown as DomDocument;
}

function isSourceElement(node: SourceNode): node is SourceElement {
  return "tagName" in node;
}

/** The content of `<noframes>`, which replaces a frameset. */
function framelessBody(frameset: SourceElement): DefaultTreeAdapterTypes.DocumentFragment {
  const frameless = frameset.childNodes.filter(isSourceElement).filter(({ tagName }) => tagName === "noframes");
  return parseFragment(
    frameless
      .flatMap(({ childNodes }) => childNodes)
      .map((node) => ("value" in node ? node.value : ""))
      .join(""),
    { scriptingEnabled: false },
  );
}

/** Copies parse5's tree into a linkedom document. */
class TreeCopy {
  /** The `href` of the first `<base>` that has one. */
  base: string | undefined;
  #nodes = 0;

  children(source: DefaultTreeAdapterTypes.ParentNode, target: DomElement): void {
    const pending = source.childNodes.toReversed().map((node) => ({ node, target, depth: 0 }));
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (++this.#nodes > maxNodes) return;
      // An object is replaced by its fallback content.
      const isObject = next.node.nodeName === "object";
      const copied = isObject ? next.target : this.#node(next.node, target.ownerDocument);
      if (copied === undefined) continue;
      if (!isObject) next.target.appendChild(copied);
      if (!isSourceElement(next.node)) continue;
      const inner = next.depth < maxDepth ? (copied as DomElement) : next.target;
      for (const child of next.node.childNodes.toReversed()) {
        pending.push({ node: child, target: inner, depth: Math.min(next.depth + 1, maxDepth) });
      }
    }
  }

  attributes(source: SourceElement, target: DomElement): void {
    const takesAll = imageElements.has(source.tagName);
    for (const { name, value } of takesAll ? source.attrs.slice(0, maxAttributesOfImage) : source.attrs) {
      if ((!takesAll && !keptAttributes.has(name)) || value.length > maxAttributeLength) continue;
      if (name === "href" && source.tagName === "base") this.base ??= value;
      target.setAttribute(name, value);
    }
  }

  #node(source: SourceNode, document: DomDocument): DomNode | undefined {
    if (source.nodeName === "#text") return document.createTextNode((source as { value: string }).value);
    if (!isSourceElement(source) || !isCopied(source)) return undefined;
    const element = document.createElement(source.tagName);
    this.attributes(source, element);
    return element;
  }
}

/** The place of content that is streamed later (`streamed-parts.ts`). */
function isStreamPlace(template: SourceElement): boolean {
  return template.attrs.some(({ name, value }) => name === "id" && /^[BP]:/.test(value));
}

/** Of all templates only the places of streamed parts are copied; of all scripts only JSON-LD, TeX formulas and embedded gists. */
function isCopied(source: SourceElement): boolean {
  if (source.namespaceURI === parse5Html.NS.SVG) return false;
  if (droppedElements.has(source.tagName)) return source.tagName === "template" && isStreamPlace(source);
  if (source.tagName !== "script") return true;
  const type = source.attrs.find(({ name }) => name === "type")?.value.toLowerCase() ?? "";
  const src = source.attrs.find(({ name }) => name === "src")?.value ?? "";
  return type === "application/ld+json" || type.startsWith("math/tex") || src.startsWith("https://gist.github.com/");
}

/** A longer base would make the output large: it is repeated in every relative link. */
const maxBaseLength = 2048;

/** The base of relative links: `<base>` if it is an http(s) URL, else the page's URL. */
function baseOf(href: string, url: string): string {
  const base = href.length > maxBaseLength ? null : URL.parse(href, url);
  return base?.protocol === "http:" || base?.protocol === "https:" ? base.href : url;
}
