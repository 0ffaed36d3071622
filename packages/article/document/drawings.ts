// SPDX-License-Identifier: MIT

import { drawingKey, drawingSource, maxDrawingBytes } from "@reading-list/core/domain/drawing.ts";
import { escapeXml } from "@reading-list/core/domain/escape.ts";
import { type DefaultTreeAdapterTypes, html as parse5Html } from "parse5";
import { type DomDocument, type DomElement, newElement } from "./dom.ts";
import { readAttribute, type SourceElement } from "./source-tree.ts";

/** Marks the caption that replaces a drawing. */
export const drawingAttribute = "data-drawing";

/** The sources of the drawings of a document by the address that its images have until the view is written, and their length. */
interface Sources {
  byKey: Map<string, string>;
  length: number;
}

const sourcesByDocument = new WeakMap<DomDocument, Sources>();
/** Bytes of the drawings of a page as SVG; further ones are left out. */
const maxBytesOfPage = 200_000;

/**
 * A figure that replaces a drawing: its picture, for a view with images, and its texts, for one without. Undefined for an
 * icon or a logo. Until the view is written, the image has a short address, so that all rules treat it as any picture.
 */
export function createFigure(svg: SourceElement, document: DomDocument): DomElement | undefined {
  const label = readLabel(svg);
  const sources = sourcesByDocument.get(document) ?? { byKey: new Map(), length: 0 };
  const picture = isPicture(svg, label) ? writeSvg(svg) : undefined;
  const parts: DomElement[] = [];
  if (picture !== undefined && sources.length + picture.length <= maxBytesOfPage) {
    const image = document.createElement("img");
    const key = drawingKey(picture);
    image.setAttribute("src", key);
    image.setAttribute("alt", readDescription(svg) || label);
    if (!sources.byKey.has(key)) {
      const source = drawingSource(picture);
      sources.byKey.set(key, source);
      sources.length += source.length;
      sourcesByDocument.set(document, sources);
    }
    parts.push(image);
  }
  if (label !== "") {
    const caption = newElement(document, "figcaption", [document.createTextNode(label)]);
    caption.setAttribute(drawingAttribute, "");
    parts.push(caption);
  }
  return parts.length > 0 ? newElement(document, "figure", parts) : undefined;
}

/** With images, the texts of a drawing stay only in its picture. */
export function placeDrawings(document: DomDocument): void {
  for (const caption of [...document.querySelectorAll(`[${drawingAttribute}]`)])
    if (caption.previousElementSibling?.localName === "img") caption.remove();
}

/** Clean markup in which the drawings of a document have their pictures as addresses. */
export function withDrawings(html: string, document: DomDocument): string {
  const sources = sourcesByDocument.get(document);
  if (!sources) return html;
  // bounded: clean markup, in which each attribute ends
  return html.replaceAll(/(?<= src=")[^"]*/g, (address) => sources.byKey.get(address) ?? address);
}

/**
 * Whether a drawing is a picture of the article: shown, and large by its declared size with a name or two parts, as wavy
 * lines between sections have not; or without that size large by its view box, with texts, or as many parts as no icon has.
 */
function isPicture(svg: SourceElement, label: string): boolean {
  const isHidden = readTrimmed(svg, "aria-hidden") === "true" || svg.attrs.some(({ name }) => name === "hidden");
  if ((isHidden && label === "") || /display\s*:\s*none/i.test(readTrimmed(svg, "style").slice(0, maxStyle)))
    return false;
  const [width, height] = [declaredSide(svg, "width"), declaredSide(svg, "height")];
  const isDeclared = width !== undefined || height !== undefined;
  const [boxWidth, boxHeight] = readViewBox(svg);
  const sides = isDeclared ? [width ?? minSide, height ?? minSide] : [boxWidth, boxHeight];
  if (Math.min(...sides) < minSide) return false;
  return label !== "" || countParts(svg) >= (isDeclared ? (readDescription(svg) ? 1 : 2) : minParts);
}

/** Pixels of each side. */
const minSide = 100;
/** Parts of a drawing whose size only the page's style sheet has. */
const minParts = 10;
const maxStyle = 500;

const readTrimmed = (svg: SourceElement, name: string) => readAttribute(svg, name).trim();

/** Pixels of a side by its attribute or style; undefined if it is not given in pixels. */
function declaredSide(svg: SourceElement, side: "width" | "height"): number | undefined {
  const style = readTrimmed(svg, "style").slice(0, maxStyle);
  const [, pixels] = /^([\d.]+)(?:px)?$/.exec(readTrimmed(svg, side)) ?? styled[side].exec(style) ?? [];
  return pixels === undefined ? undefined : Number.parseFloat(pixels) || 0;
}

const styled = {
  // bounded: 500 characters of a style
  width: /(?:^|[;\s])width\s*:\s*([\d.]+)px/i,
  height: /(?:^|[;\s])height\s*:\s*([\d.]+)px/i,
};

/** The width and height of the view box; 0 without one. */
function readViewBox(svg: SourceElement): [number, number] {
  const [, , width = 0, height = 0] = readTrimmed(svg, "viewBox")
    .split(/[\s,]+/, 5)
    .map(Number);
  return width > 0 && height > 0 ? [width, height] : [0, 0];
}

/** The elements in a drawing that are drawn, up to as many as no icon has. */
function countParts(svg: SourceElement): number {
  const pending: DefaultTreeAdapterTypes.ChildNode[] = [...svg.childNodes];
  let parts = 0;
  for (let node = pending.pop(); node !== undefined && parts < minParts; node = pending.pop()) {
    if (!("tagName" in node)) continue;
    if (shapes.has(node.tagName)) parts++;
    pending.push(...node.childNodes);
  }
  return parts;
}

const shapes = new Set("path rect circle ellipse line polyline polygon text use".split(" "));

/** The name and the description that the author gives a drawing; empty without one. */
function readDescription(svg: SourceElement): string {
  const named = (name: string) => svg.childNodes.find((node) => "tagName" in node && node.tagName === name);
  const texts = [named("title"), named("desc")].map(
    (node) => node && (node as SourceElement).childNodes.map((child) => textIn(child, 0)).join(""),
  );
  const all = [readTrimmed(svg, "aria-label") || texts[0], texts[1]].map((text) =>
    (text ?? "").replace(/\s+/g, " ").trim(),
  );
  return [...new Set(all.filter(Boolean))].join(". ").slice(0, maxLength).toWellFormed();
}

/** Elements of a drawing; larger ones are left out. */
const maxElements = 5000;

/**
 * A drawing as a file: only elements of SVG and what draws them, without scripts, HTML, links and addresses. Undefined if it
 * is too large. Colors that the style sheet of the page gives are lost.
 */
function writeSvg(svg: SourceElement): string | undefined {
  let markup = "";
  let elements = 0;
  const pending: (DefaultTreeAdapterTypes.ChildNode | string)[] = [svg];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (typeof node === "string") markup += node;
    else if ("value" in node) markup += escapeXml(node.value);
    else if ("tagName" in node && isDrawn(node)) {
      if (++elements > maxElements) return undefined;
      markup += `<${node.tagName}${node === svg ? writeRootAttributes(svg) : ""}${writeAttributes(node)}>`;
      pending.push(`</${node.tagName}>`, ...node.childNodes.toReversed());
    }
    if (markup.length > maxDrawingBytes) return undefined;
  }
  return Buffer.byteLength(markup) > maxDrawingBytes ? undefined : markup;
}

const isDrawn = ({ tagName, namespaceURI }: SourceElement) =>
  namespaceURI === parse5Html.NS.SVG && /^[a-zA-Z]+$/.test(tagName) && !notDrawn.has(tagName);
const notDrawn = new Set(
  "script foreignObject image feImage a animate animateMotion animateTransform set audio video iframe".split(" "),
);

/** The namespaces of a file, and the size of one whose markup has none. */
function writeRootAttributes(svg: SourceElement): string {
  const [boxWidth, boxHeight] = readViewBox(svg);
  const size = [
    ["width", declaredSide(svg, "width") ?? boxWidth],
    ["height", declaredSide(svg, "height") ?? boxHeight],
  ] as const;
  const sides = size.map(([name, pixels]) => (pixels > 0 ? ` ${name}="${pixels}"` : ""));
  return ` xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"${sides.join("")}`;
}

function writeAttributes(element: SourceElement): string {
  const isRoot = element.tagName === "svg";
  return element.attrs
    .filter(
      ({ name, value }) =>
        /^[a-zA-Z][\w-]*$/.test(name) &&
        !/^(?:on|xmlns$)/i.test(name) &&
        !(isRoot && /^(?:width|height)$/.test(name)) &&
        isLocal(name, value),
    )
    .map(({ name, prefix, value }) => ` ${prefix ? `${prefix}:` : ""}${name}="${escapeXml(value)}"`)
    .join("");
}

/** Not an address outside of the drawing, such as that of a picture or a font. */
const isLocal = (name: string, value: string) =>
  name === "href" ? value.trim().startsWith("#") : !/url\(\s*["']?(?!["'#\s])/i.test(value);

/**
 * The texts of a drawing, such as the title and the labels of a chart, whose lines no view shows; empty if it has fewer than
 * two, as icons and logos have, or too many to read.
 */
function readLabel(svg: SourceElement): string {
  const texts: string[] = [];
  const pending = [...svg.childNodes].reverse();
  for (let node = pending.pop(); node !== undefined && texts.length <= maxTexts; node = pending.pop()) {
    if (!("tagName" in node)) continue;
    if (node.tagName !== "text") pending.push(...node.childNodes.toReversed());
    else {
      const text = textIn(node, 0).replace(/\s+/g, " ").trim();
      if (text !== "") texts.push(text);
    }
  }
  const label = texts.join(" · ");
  return texts.length < minTexts || texts.length > maxTexts || label.length < minLength || label.length > maxLength
    ? ""
    : label;
}

const minTexts = 2;
const maxTexts = 60;
/** Characters. */
const minLength = 8;
const maxLength = 1000;
const maxDepth = 20;

function textIn(node: DefaultTreeAdapterTypes.ChildNode, depth: number): string {
  if ("value" in node) return node.value;
  if (!("tagName" in node) || depth > maxDepth || notText.has(node.tagName)) return "";
  return node.childNodes.map((child) => textIn(child, depth + 1)).join("");
}

const notText = new Set(["script", "style", "title", "desc"]);
