// SPDX-License-Identifier: MIT

import { blockElements, rubyElements } from "./article-markup.ts";
import { decodeText } from "./escape.ts";
import type { KeptArticle } from "./kept-article.ts";
import { cutText } from "./page-fields.ts";

/** The fields of a kept article that a list shows. */
export interface ArticleSummary {
  words: number;
  /** The beginning of its text, without headings and captions. */
  excerpt: string;
  /** The URL of its picture; empty if it has none. */
  image: string;
}

/** Characters of an excerpt. */
const excerptLength = 200;

/** UTF-16 units of HTML, and of text without spaces, whose words are counted: 15 ms each. The rest is estimated. */
const maxCounted = 300_000;
const maxSegmented = 10_000;

/** Elements whose text is not part of the words around them. */
const separate = new Set([...blockElements, ...rubyElements]);
/** Elements whose text does not count as the beginning of an article. */
const besides = new Set("h1 h2 h3 h4 h5 h6 hgroup header nav figure table pre".split(" "));

/** Words, beginning and picture of an article. */
export function summarise({ less, more, imageUrl }: Pick<KeptArticle, "less" | "more" | "imageUrl">): ArticleSummary {
  const html = less || more;
  const { text, body, firstImage } = readText(html.slice(0, maxCounted));
  const share = Math.max(1, html.length / maxCounted);
  return {
    words: Math.round(countWords(text) * share),
    excerpt: cutExcerpt(body || text),
    image: imageUrl ?? firstImage,
  };
}

/** A tag of a sanitised fragment, which writes `>` as `&gt;` in attributes, or a run of text. */
// bounded: sanitised HTML, in which each tag ends
const piece = /<(\/?)([a-z][a-z0-9]*)([^>]*)>|[^<]+|</gi;

/**
 * The text of a fragment, the text of its paragraphs up to a few excerpts, and its first picture. Takes linear time.
 */
function readText(html: string): { text: string; body: string; firstImage: string } {
  let [text, body, firstImage] = ["", "", ""];
  let depthBesides = 0;
  const take = (part: string) => {
    text += part;
    if (depthBesides === 0 && body.length < 4 * excerptLength) body += part;
  };
  for (const [whole, slash, name, attributes = ""] of html.matchAll(piece)) {
    if (name === undefined) {
      take(decodeText(whole));
      continue;
    }
    if (besides.has(name)) depthBesides = Math.max(0, depthBesides + (slash ? -1 : 1));
    if (name === "img" && firstImage === "")
      firstImage = decodeText(/ src="(https?:[^"]*)"/.exec(attributes)?.[1] ?? "");
    if (separate.has(name)) take(" ");
  }
  return { text, body: body.trim(), firstImage };
}

function cutExcerpt(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  const cut = cutText(line, excerptLength);
  if (cut === line) return line;
  const space = cut.lastIndexOf(" ");
  // bounded: an excerpt of some 200 characters
  return `${(space > excerptLength / 2 ? cut.slice(0, space) : cut).replace(/[\s,;:–-]+$/u, "")}…`;
}

/** Scripts that have no spaces between words. */
const unspaced = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Mymr}ー]+/gu;
const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });

/** The number of words of a text; for scripts without spaces, a dictionary separates them. */
export function countWords(text: string): number {
  const runs: string[] = [];
  let length = 0;
  let segmented = 0;
  const spaced = text.replaceAll(unspaced, (run) => {
    length += run.length;
    if (segmented < maxSegmented) runs.push(run.slice(0, maxSegmented - segmented));
    segmented = Math.min(maxSegmented, segmented + run.length);
    return " ";
  });
  let words = 0;
  for (const run of runs) for (const { isWordLike } of segmenter.segment(run)) if (isWordLike) words += 1;
  const ofSpaced = spaced.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}'’.\-/]*/gu)?.length ?? 0;
  return ofSpaced + Math.round(words * (segmented === 0 ? 1 : length / segmented));
}
