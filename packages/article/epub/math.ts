// SPDX-License-Identifier: MIT

import { mathAttributes, mathElements } from "@reading-list/core/domain/article-markup.ts";
import { escapeXml } from "@reading-list/core/domain/escape.ts";
import type { DefaultTreeAdapterTypes as Tree } from "parse5";
import { attributesByName, writeAttributes } from "./xml.ts";

type Element = Tree.Element;

/**
 * A formula as MathML that `epubcheck` accepts; undefined if an element of it has too many or too few parts. Writes
 * only attributes with values that MathML 3 also has.
 */
export function bookMath(math: Element): string | undefined {
  const content = writeParts(math, 0);
  if (content === undefined || content === "") return undefined;
  const display = attributesByName(math).display === "block" ? "block" : undefined;
  return `<math${writeAttributes({ xmlns: "http://www.w3.org/1998/Math/MathML", display })}>${content}</math>`;
}

const known = new Set(mathElements);
const tokens = new Set(["mi", "mn", "mo", "ms", "mtext"]);
const exactParts: Readonly<Record<string, number>> = {
  mfrac: 2,
  mroot: 2,
  msub: 2,
  msup: 2,
  munder: 2,
  mover: 2,
  msubsup: 3,
  munderover: 3,
  mspace: 0,
  mprescripts: 0,
};
const parentsByName: Readonly<Record<string, string>> = { mtr: "mtable", mtd: "mtr", mprescripts: "mmultiscripts" };
const childByName: Readonly<Record<string, string>> = { mtable: "mtr", mtr: "mtd" };
const maxDepth = 100;

function writeParts(parent: Element, depth: number): string | undefined {
  if (depth > maxDepth) return undefined;
  const name = parent.tagName;
  const parts: Element[] = [];
  for (const node of parent.childNodes) {
    if ("tagName" in node) parts.push(node);
    else if ("value" in node && node.value.trim() !== "") return undefined;
  }
  if (exactParts[name] !== undefined && parts.length !== exactParts[name]) return undefined;
  if (name === "mmultiscripts" && !isPaired(parts)) return undefined;
  const written = parts.map((part) => elementMarkup(part, name, depth + 1));
  return written.every((part) => part !== undefined) ? written.join("") : undefined;
}

/** A base, and an even number of scripts at each side of it. */
function isPaired(parts: readonly Element[]): boolean {
  const before = parts.findIndex(({ tagName }) => tagName === "mprescripts");
  const after = before < 0 ? 0 : parts.length - before - 1;
  return ((before < 0 ? parts.length : before) - 1) % 2 === 0 && after % 2 === 0;
}

function elementMarkup(element: Element, parentName: string, depth: number): string | undefined {
  const { tagName: name } = element;
  const isPlace = (parentsByName[name] ?? parentName) === parentName && (childByName[parentName] ?? name) === name;
  if (name === "math" || !known.has(name) || !isPlace) return undefined;
  const content = tokens.has(name) ? tokenText(element) : writeParts(element, depth);
  return content === undefined ? undefined : `<${name}${validAttributes(element)}>${content}</${name}>`;
}

/** The text of a token; undefined if it has elements. */
function tokenText({ childNodes }: Element): string | undefined {
  const texts = childNodes.map((node) => ("value" in node ? node.value : undefined));
  return texts.every((text) => text !== undefined) ? escapeXml(texts.join("")) : undefined;
}

function validAttributes(element: Element): string {
  const given = attributesByName(element);
  const names = [
    ...(mathAttributes[element.tagName] ?? []),
    ...(element.tagName === "mstyle" ? ["displaystyle", "scriptlevel"] : []),
  ];
  return writeAttributes(
    Object.fromEntries(names.map((name) => [name, validValue.test(given[name] ?? "") ? given[name] : undefined])),
  );
}

const validValue =
  /^(?:true|false|prefix|infix|postfix|normal|bold|italic|bold-italic|double-struck|script|fraktur|sans-serif|monospace|-?\d{1,4}(?:\.\d{1,9})?(?:em|ex|px|pt)|[1-9]\d?)$/;
