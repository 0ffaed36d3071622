import { parseHTML } from "linkedom";
import { type DefaultTreeAdapterTypes, parse, html as parse5Html, parseFragment } from "parse5";
import type { DomDocument, DomElement, DomNode } from "./dom.ts";

/**
 * A document of a page. parse5 reads the markup as browsers do; linkedom, which Readability works on, keeps malformed
 * nesting as it is written. What no view of the page needs is left out on the way: comments, styles, drawings, most
 * attributes, and all that exceeds the bounds that keep the work on a hostile page small.
 */
export function parsePage(html: string, url: string): DomDocument {
  const source = parse(asHtml(html), { scriptingEnabled: false });
  const document = emptyDocument();
  const root = source.childNodes.find(isSourceElement);
  if (root !== undefined) {
    const copy = new TreeCopy(document);
    for (const part of root.childNodes.filter(isSourceElement)) {
      if (part.tagName === "head") copy.children(part, document.head, 0);
      else if (part.tagName === "frameset") copy.children(framelessBody(part), document.body, 0);
      else if (part.tagName === "body") {
        copy.attributes(part, document.body);
        copy.children(part, document.body, 0);
      }
    }
    copy.attributes(root, document.documentElement);
  }
  const pageUrl = URL.parse(url)?.href ?? "about:invalid";
  Object.defineProperty(document, "documentURI", { value: pageUrl });
  Object.defineProperty(document, "baseURI", { value: baseOf(document, pageUrl) });
  return document;
}

/** What begins as XML says that it is; the root of XHTML or of a feed says so too. */
const xmlStart = /^\ufeff?\s*(?:<\?xml\s|<rss[\s>]|<feed[\s>]|(?:<!doctype[^>]*>\s*)?<html[^>]*\sxmlns\s*=)/i;
const startLength = 2048;
/** In a feed it is nearly always HTML. */
const cdata = /<!\[CDATA\[([\s\S]*?)(?:\]\]>|$)/g;
const emptyElement = /<([a-z][\w:.-]*)((?:\s[^<>]*["'\s])?)\/>/gi;
const feedItem = /<(?:item|entry)[\s>]/;
const feedRoot = /<(?:rss|feed|rdf:RDF)[\s>]/;
const voidElements = /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/i;

/**
 * XML in the words of HTML, which knows neither CDATA nor empty elements like `<script src="a.js"/>`; the titles of a
 * feed's items become headings. Other markup stays as it is.
 */
function asHtml(markup: string): string {
  const start = markup.slice(0, startLength);
  if (!xmlStart.test(start)) return markup;
  const isFeed = feedRoot.test(start);
  const html = markup
    .replace(cdata, (_whole, text: string) => (isFeed ? text : text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")))
    .replace(emptyElement, (whole, name: string, attributes: string) =>
      voidElements.test(name) ? whole : `<${name}${attributes}></${name}>`,
    );
  const items = isFeed ? html.search(feedItem) : -1;
  return items < 0 ? html : html.slice(0, items) + html.slice(items).replace(/<(\/?)title(?=[\s>])/g, "<$1h2");
}

type SourceNode = DefaultTreeAdapterTypes.ChildNode;
type SourceElement = DefaultTreeAdapterTypes.Element;

/** Deeper elements become siblings, as in browsers (which stop at 512); real pages stay below 60. */
const maxDepth = 120;
/** A page with more is cut off there. */
const maxNodes = 150_000;
const maxAttributeLength = 4096;
const maxAttributesOfImage = 30;

const droppedElements = new Set(["style", "template", "svg", "canvas", "embed", "applet", "frameset"]);
const imageElements = new Set(["img", "source", "picture", "figure", "amp-img", "meta"]);

/** Attributes that some rule or the output reads; on images any may hold the address of the picture. */
const keptAttributes = new Set([
  ...["id", "class", "role", "hidden", "aria-hidden", "aria-label", "aria-current", "style", "lang", "dir", "title"],
  ...["href", "rel", "src", "alt", "width", "height", "type", "name", "value", "action", "method", "placeholder"],
  ...["autocomplete", "for", "content", "property", "itemprop", "itemtype", "itemscope", "datetime", "cite"],
  ...["colspan", "rowspan", "start", "reversed", "open", "data-src", "alttext", "encoding", "summary", "border"],
]);

function emptyDocument(): DomDocument {
  const { document } = parseHTML("<!doctype html><html><head></head><body></body></html>");
  return document as unknown as DomDocument;
}

function isSourceElement(node: SourceNode): node is SourceElement {
  return "tagName" in node;
}

/** What a page of frames shows where there are none. */
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

/** Copies parse5's tree into the document. */
class TreeCopy {
  readonly #document: DomDocument;
  #nodes = 0;

  constructor(document: DomDocument) {
    this.#document = document;
  }

  children(source: DefaultTreeAdapterTypes.ParentNode, target: DomElement, depth: number): void {
    const pending = [...source.childNodes].reverse().map((node) => ({ node, target, depth }));
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (++this.#nodes > maxNodes) return;
      // Objects are not shown, so that what stands in for them is.
      const isObject = next.node.nodeName === "object";
      const copied = isObject ? next.target : this.#node(next.node);
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
      if ((takesAll || keptAttributes.has(name)) && value.length <= maxAttributeLength)
        target.setAttribute(name, value);
    }
  }

  #node(source: SourceNode): DomNode | undefined {
    if (source.nodeName === "#text") return this.#document.createTextNode((source as { value: string }).value);
    if (!isSourceElement(source) || droppedElements.has(source.tagName) || !isCopied(source)) return undefined;
    const element = this.#document.createElement(source.tagName);
    this.attributes(source, element);
    return element;
  }
}

/** Scripts run nowhere, but structured data is one. */
function isCopied(source: SourceElement): boolean {
  if (source.namespaceURI === parse5Html.NS.SVG) return false;
  if (source.tagName !== "script") return true;
  const type = source.attrs.find(({ name }) => name === "type")?.value.toLowerCase() ?? "";
  return type === "application/ld+json" || type.startsWith("math/tex");
}

/** Longer ones would multiply a page, by every relative link on it. */
const maxBaseLength = 2048;

/** The address that relative links start from: `<base>` where it is a web address, else the page's own. */
function baseOf(document: DomDocument, url: string): string {
  const href = document.querySelector("base[href]")?.getAttribute("href") ?? "";
  const base = href.length > maxBaseLength ? null : URL.parse(href, url);
  return base?.protocol === "http:" || base?.protocol === "https:" ? base.href : url;
}
