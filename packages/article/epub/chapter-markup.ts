// SPDX-License-Identifier: MIT

import { mathElements } from "@reading-list/core/domain/article-markup.ts";
import { escapeXml } from "@reading-list/core/domain/escape.ts";
import type { Chapter } from "@reading-list/core/ports/pages.ts";
import { Parser } from "htmlparser2";
import { parseFragment, type DefaultTreeAdapterTypes as Tree } from "parse5";
import { decodeUrlPart } from "../document/link-target.ts";
import { bookMath } from "./math.ts";
import { attributesByName, descendants, type Element, isElement, writeAttributes } from "./xml.ts";

/**
 * Writes a text view as XHTML that `epubcheck` accepts. A view has clean elements, but nested as the page nested them:
 * an element whose content its place does not allow becomes a `div` or a `span`.
 */
export interface ChapterMarkup {
  xhtml: string;
  /** Language and direction of the article, if the page declares them. */
  language: string | undefined;
  direction: "ltr" | "rtl" | undefined;
}

type Node = Tree.ChildNode;

const words = (list: string) => new Set(list.split(" "));
const isBlank = (node: Node) => node.nodeName === "#text" && (node as Tree.TextNode).value.trim() === "";

/** Elements with text and inline elements only. */
const phrasing = words(
  "p h1 h2 h3 h4 h5 h6 pre a abbr b bdi bdo cite code del dfn em i ins kbd mark q s samp small strong sub sup u var span rt caption",
);
const inline = words(
  `a abbr b bdi bdo br cite code del dfn em i img ins kbd mark q s samp small span strong sub sup u var wbr ruby rt rp ${mathElements.join(" ")}`,
);
const empty = words("br hr img wbr");
/** Written as they are; others become a `div` or a `span`. */
const kept = words(
  "h1 h2 h3 h4 h5 h6 p div blockquote pre hr br wbr ul ol li dl dt dd table caption thead tbody tr th td a abbr b bdi bdo cite code del dfn em i ins kbd mark q s samp small strong sub sup u var img",
);
const parentsByName: Record<string, string[]> = {
  li: ["ul", "ol"],
  dt: ["dl"],
  dd: ["dl"],
  caption: ["table"],
  thead: ["table"],
  tbody: ["table"],
  tr: ["thead", "tbody"],
  td: ["tr"],
  th: ["tr"],
};

/** The file of an image in the book by its URL; undefined if the book does not have it. */
type FindImage = (url: string) => string | undefined;

/** `isVerbatim`: the elements of the article are written as they are, within `<main>`, before its notes. */
export function chapterMarkup(
  { html, notes = "" }: Pick<Chapter, "html" | "notes">,
  findImage: FindImage,
  isVerbatim = false,
): ChapterMarkup {
  const root = parsed(html);
  const { lang, dir } = declarationIn(root);
  const write = (text: string) => writtenOrPlain(parsed(text), text, findImage);
  return {
    xhtml: isVerbatim
      ? `<main class="content">${verbatimMarkup(html, findImage)}</main>${verbatimMarkup(notes, findImage)}`
      : write(html + notes),
    language: validLanguage(lang),
    direction: dir === "rtl" || dir === "ltr" ? dir : undefined,
  };
}

/** Text as a tree, whose root has no name and no attributes. */
const parsed = (html: string) => parseFragment(html) as unknown as Element;

/** Language and direction that the element around the whole text declares, or the one in it: an API serves it in a section. */
function declarationIn(root: Element): { lang?: string | undefined; dir?: string | undefined } {
  const outer = onlyElementIn(root);
  const declared = [outer, outer && onlyElementIn(outer)].map((each) => (each ? attributesByName(each) : {}));
  return declared.find(({ lang, dir }) => lang !== undefined || dir !== undefined) ?? {};
}

function onlyElementIn(parent: Element): Element | undefined {
  const [first, ...others] = parent.childNodes.filter((node) => !isBlank(node));
  return first && others.length === 0 && isElement(first) ? first : undefined;
}

/** A text view as XHTML, element for element, as `core/domain/text-places.ts` counts them. */
function verbatimMarkup(html: string, findImage: FindImage): string {
  const parts: string[] = [];
  const isLeftOut = (name: string, { src = "" }: Record<string, string>) => name === "img" && !findImage(src);
  const parser = new Parser({
    onopentag(name, attributes) {
      if (isLeftOut(name, attributes)) return;
      const written = writeAttributes({
        ...attributes,
        ...(name === "img" && { src: findImage(attributes.src ?? "") }),
        ...(name === "math" && { xmlns: "http://www.w3.org/1998/Math/MathML" }),
      });
      parts.push(`<${name}${written}${empty.has(name) ? "/" : ""}>`);
    },
    onclosetag(name) {
      if (!empty.has(name)) parts.push(`</${name}>`);
    },
    ontext: (text) => parts.push(escapeXml(text)),
  });
  parser.end(html);
  return parts.join("");
}

/** Levels of elements that e-readers show. */
const maxDepth = 400;

/** Elements that are nested too deep are written as their text. */
function writtenOrPlain(root: Element, html: string, findImage: FindImage): string {
  try {
    return new Writer(root, findImage).children(root, "body");
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return `<p>${escapeXml(html.replaceAll(/<[^<>]*>/g, " "))}</p>`;
  }
}

class Writer {
  readonly #findImage: FindImage;
  /** New names of the ids that links of the article lead to. */
  readonly #ids = new Map<string, string>();
  readonly #written = new Set<string>();
  #depth = 0;
  readonly #hasBlock = new Map<Element, boolean>();

  constructor(root: Element, findImage: FindImage) {
    this.#findImage = findImage;
    for (const element of descendants(root)) {
      const { id } = attributesByName(element);
      if (id !== undefined && !this.#ids.has(id)) this.#ids.set(id, `place-${this.#ids.size + 1}`);
    }
  }

  children(parent: Element, parentName: string): string {
    if (++this.#depth > maxDepth) throw new RangeError("elements are nested too deeply");
    const written = parent.childNodes.map((node) => this.#node(node, parentName)).join("");
    this.#depth--;
    return written;
  }

  #node(node: Node, parentName: string): string {
    if (node.nodeName === "#text") {
      const text = escapeXml((node as Tree.TextNode).value);
      const isStructure = ["ul", "ol", "dl", "table", "thead", "tbody", "tr"].includes(parentName);
      return isStructure && text.trim() !== "" ? this.#wrap(parentName, text) : isStructure ? "" : text;
    }
    return isElement(node) ? this.#element(node, parentName) : "";
  }

  #element(element: Element, parentName: string): string {
    const { tagName } = element;
    if (tagName === "rp" || (tagName === "img" && element.attrs.every(({ name }) => name !== "src"))) return "";
    if (tagName === "img") return this.#placed("img", parentName, this.#image(element));
    if (tagName === "table") return this.#placed("table", parentName, this.#table(element));
    if (tagName === "ruby") return this.#ruby(element);
    const formula = tagName === "math" ? bookMath(element) : undefined;
    if (formula !== undefined) return this.#placed("math", parentName, formula);
    const name = this.#chooseName(element, parentName);
    const attributes = this.#attributes(element, name);
    if (empty.has(name)) return this.#placed(name, parentName, `<${name}${attributes}/>`);
    const content = this.children(element, name);
    return this.#placed(name, parentName, `<${name}${attributes}>${content}</${name}>`);
  }

  /** The element to write, which its parent and its content must allow. */
  #chooseName(element: Element, parentName: string): string {
    const { tagName } = element;
    const isInline = inline.has(tagName);
    if (phrasing.has(tagName) && tagName !== "a" && this.#containsBlock(element)) return "div";
    if (tagName === "a")
      return this.#target(element) === undefined ? (this.#containsBlock(element) ? "div" : "span") : "a";
    if (tagName === "dl" && !isDefinitionList(element)) return "div";
    if (parentsByName[tagName] && !parentsByName[tagName].includes(parentName)) return "div";
    // A definition's term has no headings.
    if (parentName === "dt" && /^h[1-6]$/.test(tagName)) return "p";
    if (tagName === "bdo" && !attributesByName(element).dir) return "span";
    return kept.has(tagName) ? tagName : isInline ? "span" : "div";
  }

  /** An element within lists, which have entries only. */
  #placed(name: string, parentName: string, markup: string): string {
    const isEntry = parentsByName[name]?.includes(parentName);
    return ["ul", "ol", "dl"].includes(parentName) && !isEntry ? this.#wrap(parentName, markup) : markup;
  }

  #wrap = (parentName: string, markup: string) =>
    ["ul", "ol"].includes(parentName) ? `<li>${markup}</li>` : parentName === "dl" ? `<dd>${markup}</dd>` : "";

  #containsBlock(element: Element): boolean {
    const known = this.#hasBlock.get(element);
    if (known !== undefined) return known;
    const found = element.childNodes.some(
      (node) => isElement(node) && (!inline.has(node.tagName) || this.#containsBlock(node)),
    );
    this.#hasBlock.set(element, found);
    return found;
  }

  #attributes(element: Element, name: string): string {
    const given = attributesByName(element);
    const language = validLanguage(given.lang);
    const id = given.id === undefined ? undefined : this.#ids.get(given.id);
    const isFirst = id !== undefined && !this.#written.has(id);
    if (isFirst) this.#written.add(id);
    const whole = (value: string | undefined, min: number) =>
      value !== undefined && /^-?\d{1,4}$/.test(value) && Number(value) >= min ? String(Number(value)) : undefined;
    const cell = name === "td" || name === "th";
    return writeAttributes({
      ...(isFirst && { id }),
      ...(language && { lang: language, "xml:lang": language }),
      ...(given.dir && ["ltr", "rtl", "auto"].includes(given.dir) && { dir: given.dir }),
      ...(name === "a" && { href: this.#target(element), title: given.title }),
      ...(name === "abbr" && { title: given.title }),
      ...(name === "a" || name === "li" ? { "epub:type": given["epub:type"] } : {}),
      ...(name === "ol" && { start: whole(given.start, -9999) }),
      ...(cell && { colspan: whole(given.colspan, 1), rowspan: whole(given.rowspan, 1) }),
      ...(classes.has(element.tagName) && { class: element.tagName }),
    });
  }

  /** Where a link leads: a place of the article, or a valid URL. */
  #target(element: Element): string | undefined {
    const { href = "" } = attributesByName(element);
    if (href.startsWith("#")) {
      const id = this.#ids.get(href.slice(1)) ?? this.#ids.get(decodeUrlPart(href.slice(1)));
      return id && `#${id}`;
    }
    return strictUrl(href);
  }

  #image(element: Element): string {
    const { src = "", alt = "" } = attributesByName(element);
    const file = this.#findImage(src);
    if (file !== undefined) return `<img${writeAttributes({ src: file, alt })}/>`;
    return alt.trim() === "" ? "" : `<span class="image">[${escapeXml(alt)}]</span>`;
  }

  /** A table with one head, and one body of all other rows. */
  #table(table: Element): string {
    const [heads, rows]: [Element[], Element[]] = [[], []];
    let [before, caption] = ["", ""];
    for (const part of table.childNodes.filter(isElement)) {
      if (part.tagName === "caption") {
        if (caption === "" && !this.#containsBlock(part))
          caption = `<caption>${this.children(part, "caption")}</caption>`;
        else before += `<div>${this.children(part, "div")}</div>`;
      }
      const ownRows = part.tagName === "tr" ? [part] : part.childNodes.filter(isElement);
      const isHead = part.tagName === "thead" && rows.length === 0;
      if (part.tagName !== "caption")
        (isHead ? heads : rows).push(...ownRows.filter(({ tagName }) => tagName === "tr"));
    }
    const write = (name: string, parts: Element[]) =>
      parts.length === 0 ? "" : `<${name}>${parts.map((row) => this.#element(row, name)).join("")}</${name}>`;
    return `${before}<table${this.#attributes(table, "table")}>${caption}${write("thead", heads)}${write("tbody", rows)}</table>`;
  }

  /** Text with its readings, or as a span if it is nested in another way. */
  #ruby(ruby: Element): string {
    const parts = ruby.childNodes.filter((node) => !isBlank(node) && node.nodeName !== "rp");
    const isPlain = parts.every((node, index) => (node.nodeName === "rt") === (index % 2 === 1));
    if (!isPlain || parts.length % 2 === 1 || this.#containsBlock(ruby)) {
      return `<span>${parts.map((node) => (isElement(node) ? this.children(node, "span") : this.#node(node, "span"))).join("")}</span>`;
    }
    const write = (node: Node) =>
      node.nodeName === "rt" ? `<rt>${this.children(node as Element, "rt")}</rt>` : this.#node(node, "ruby");
    return `<ruby>${parts.map(write).join("")}</ruby>`;
  }
}

/** Elements that keep their name as a class, for the style sheet. */
const classes = words("figure figcaption aside summary");

/** Whether the entries are terms, each followed by a definition. */
function isDefinitionList(list: Element): boolean {
  const names = list.childNodes.filter((node) => !isBlank(node)).map(({ nodeName }) => nodeName);
  return names.every((name) => name === "dt" || name === "dd") && names[0] === "dt" && names.at(-1) === "dd";
}

/** A language as BCP 47 writes it; undefined if the text is not a language. */
export function validLanguage(tag: string | undefined): string | undefined {
  try {
    return tag ? Intl.getCanonicalLocales(tag.replaceAll("_", "-"))[0] : undefined;
  } catch {
    return undefined;
  }
}

/** A URL as RFC 3986 writes it: browsers leave some characters as they are. */
export function strictUrl(address: string): string | undefined {
  const url = URL.parse(address);
  if (url === null || !["http:", "https:", "mailto:"].includes(url.protocol)) return undefined;
  const [, origin = "", rest = ""] = /^(\w+:(?:\/\/[^/?#]*)?)(.*)$/s.exec(url.href) ?? [];
  const encoded = rest.replaceAll(/[|\\^`{}[\]"<>\s]/g, encodeURIComponent).replaceAll(/%(?![\da-f]{2})/gi, "%25");
  // A second `#` is not allowed in a fragment.
  const [path = "", ...fragment] = encoded.split("#");
  return origin + path + (fragment.length > 0 ? `#${fragment.join("%23")}` : "");
}
