// SPDX-License-Identifier: MIT

import { type DomElement, lettersOf } from "../document/dom.ts";
import { escapeText } from "../document/serialize.ts";
import { type Thing, typesOf } from "../document/structured-data.ts";

/** The article's text as the page declares it in JSON-LD (`articleBody`), to check whether the view has it. */
export class DeclaredBody {
  readonly #text: string;
  readonly #samples: readonly string[];

  constructor(things: readonly Thing[]) {
    // A live blog declares each of its posts.
    const isLive = things.some((thing) => typesOf(thing).includes("LiveBlogPosting"));
    const bodies = things.map((thing) => thing.articleBody).filter((body) => typeof body === "string");
    const longest = isLive ? "" : bodies.reduce((best, body) => (body.length > best.length ? body : best), "");
    this.#text = longest.replace(/<[^<>]*>/g, "");
    const letters = lettersOf(this.#text);
    const step = Math.floor(letters.length / numberOfSamples);
    const places = step < sampleLength ? [] : Array.from({ length: numberOfSamples }, (_, place) => place * step);
    this.#samples = places.map((place) => letters.slice(place, place + sampleLength));
  }

  /** Whether an article has less than half of the declared text. */
  isMissingIn(article: DomElement): boolean {
    return this.#samples.length > 0 && this.#shareIn(article) < half;
  }

  /** The smallest element with nearly all of the declared text that the page has; undefined if it has less than half. */
  elementIn(body: DomElement): DomElement | undefined {
    const most = this.#shareIn(body);
    if (most < half) return undefined;
    const smallestIn = (element: DomElement): DomElement => {
      const inner = [...element.children].find((child) => this.#shareIn(child) >= most * nearlyAll);
      return inner === undefined ? element : smallestIn(inner);
    };
    return smallestIn(body);
  }

  /** The declared text as markup. Some pages have it only in their structured data. */
  get markup(): string {
    return this.#text
      .split(/\n\s*\n|\r\n\s*\r\n/)
      .map((paragraph) => paragraph.replace(/\s+/g, " ").trim())
      .filter((paragraph) => paragraph !== "")
      .map((paragraph) => `<p>${escapeText(paragraph)}</p>`)
      .join("\n");
  }

  #shareIn(element: DomElement): number {
    const letters = lettersOf(element.textContent);
    return this.#samples.filter((sample) => letters.includes(sample)).length / this.#samples.length;
  }
}

const numberOfSamples = 20;
/** Letters. */
const sampleLength = 24;
const half = 0.5;
const nearlyAll = 0.9;
