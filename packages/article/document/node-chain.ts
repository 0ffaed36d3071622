// SPDX-License-Identifier: MIT

import { parseHTML } from "linkedom";

/**
 * linkedom chains the nodes of a tree in the order of the page: an element, its attributes, its descendants, an end. To follow
 * the chain takes a third of the time of `firstChild` and `nextSibling`. It has no public name: the symbols are those
 * of an empty element.
 */
export interface ChainedNode {
  readonly nodeType: number;
  readonly name?: string;
  readonly ownerElement?: object;
  readonly [link: symbol]: ChainedNode | undefined;
}

const empty: object = parseHTML("").document.createElement("p");

/** The symbol of a property of an element or of its end. */
export function symbolNamed(name: string): symbol {
  const symbols = Object.getOwnPropertySymbols(empty);
  const ofEnd = symbols.flatMap((key) => Object.getOwnPropertySymbols(Reflect.get(empty, key) ?? {}));
  const symbol = [...symbols, ...ofEnd].find(({ description }) => description === name);
  if (symbol === undefined) throw new Error(`linkedom's nodes have no symbol named ${name}`);
  return symbol;
}

export const nextLink = symbolNamed("next");
export const endLink = symbolNamed("end");
