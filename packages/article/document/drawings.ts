// SPDX-License-Identifier: MIT

import type { DefaultTreeAdapterTypes } from "parse5";
import { type DomDocument, type DomElement, newElement } from "./dom.ts";

/** Marks the caption that replaces a drawing. */
export const drawingAttribute = "data-drawing";

/** A figure that replaces a drawing with these texts. */
export function drawingOf(label: string, document: DomDocument): DomElement {
  const caption = newElement(document, "figcaption", [document.createTextNode(label)]);
  caption.setAttribute(drawingAttribute, "");
  return newElement(document, "figure", [caption]);
}

type SourceElement = DefaultTreeAdapterTypes.Element;

/**
 * The texts of a drawing, such as the title and the labels of a chart, whose lines no view shows; empty if it has fewer than
 * two, as icons and logos have, or too many to read.
 */
export function labelOfDrawing(svg: SourceElement): string {
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
