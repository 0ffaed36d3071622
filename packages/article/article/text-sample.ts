// SPDX-License-Identifier: MIT

import { decodeEntities } from "../document/declared-text.ts";
import { type DomElement, toLetters } from "../document/dom.ts";
import { listTypes, type Thing } from "../document/structured-data.ts";

/** The longest text that a page declares as its article in JSON-LD (`articleBody`); empty if it has none. */
export function declaredBody(things: readonly Thing[]): string {
  // A live blog declares each of its posts.
  if (things.some((thing) => listTypes(thing).includes("LiveBlogPosting"))) return "";
  const bodies = things.map((thing) => thing.articleBody).filter((body) => typeof body === "string");
  const longest = bodies.reduce((best, body) => (body.length > best.length ? body : best), "");
  const text = withoutTags(longest);
  // Markup may be escaped.
  return /&(?:#\d|[a-z])/i.test(text) ? withoutTags(decodeEntities(text)) : text;
}

const withoutTags = (markup: string): string =>
  markup.replace(/<\/(?:p|h\d|li|div|blockquote)>/gi, "\n\n").replace(/<\/?[a-z!][^<>]*>/gi, "");

/** Twenty pieces of a text, to find the text in a page. */
export class TextSample {
  readonly #pieces: readonly string[];

  constructor(text: string) {
    const letters = toLetters(text);
    const step = Math.floor(letters.length / numberOfPieces);
    const places = step < pieceLength ? [] : Array.from({ length: numberOfPieces }, (_, place) => place * step);
    this.#pieces = places.map((place) => letters.slice(place, place + pieceLength));
  }

  /** The share of the text that is in an element, from 0 to 1; 1 if the text is too short for a decision. */
  shareIn(element: DomElement): number {
    if (this.#pieces.length === 0) return 1;
    const letters = toLetters(element.textContent);
    return this.#pieces.filter((piece) => letters.includes(piece)).length / this.#pieces.length;
  }

  /** The smallest element with nearly all of the text that `root` has; undefined if `root` has less than half. */
  elementIn(root: DomElement): DomElement | undefined {
    const most = this.shareIn(root);
    if (most < half) return undefined;
    let smallest = root;
    for (let inner: DomElement | undefined = root; inner !== undefined; ) {
      smallest = inner;
      inner = [...smallest.children].find((child) => this.shareIn(child) >= most * nearlyAll);
    }
    return smallest;
  }
}

const numberOfPieces = 20;
/** Letters. */
const pieceLength = 24;
const half = 0.5;
const nearlyAll = 0.9;
