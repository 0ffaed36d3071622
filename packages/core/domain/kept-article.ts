// SPDX-License-Identifier: MIT

import { promisify } from "node:util";
import { brotliCompress, constants, createBrotliDecompress } from "node:zlib";
import { ServiceError } from "../errors.ts";
import { describeDrawings } from "./drawing.ts";
import { findBelongingsTime, type Item } from "./item.ts";
import type { TextRequest, TextView } from "./text-view.ts";

/** The text views of a page that a user keeps with an item. URLs are absolute http(s) URLs. Times are unix seconds. */
export interface KeptArticle extends Omit<TextView, "html"> {
  /** The views of both modes, with images: clean HTML fragments. One of them may be empty. */
  less: string;
  more: string;
  keptAt: number;
  /** Its HTML came from an app of the user, and not from the site. */
  isSupplied?: true | undefined;
  /** `findBelongingsTime` of its item: an article that an interrupted purge left belongs to no later item of the page. */
  timeAdded: number;
}

/** Whether an article belongs to an item. */
export const belongsTo = (
  article: Pick<KeptArticle, "timeAdded"> | undefined,
  item: Pick<Item, "timeAdded" | "continues">,
): boolean => article?.timeAdded === findBelongingsTime(item);

/** The view of one mode. The sanitiser writes `>` as `&gt;` in attributes. */
export function chooseView(
  article: Omit<KeptArticle, "keptAt">,
  { mode, images }: Pick<TextRequest, "mode" | "images">,
): TextView {
  const html = article[mode];
  // bounded: sanitised HTML, in which each tag ends
  return { ...article, html: images ? html : describeDrawings(html).replaceAll(/<img [^>]*>/g, "") };
}

const compress = promisify(brotliCompress);

/** Bits of the largest window, 4 MB. */
const maxWindowBits = 22;

/**
 * The window covers both views, because the second repeats most of the first. It is no larger, because Brotli takes twice
 * its size: with 4 MB, a thread took 11 MB for a short article.
 */
const optionsFor = (bytes: number) => ({
  params: {
    [constants.BROTLI_PARAM_QUALITY]: 5,
    [constants.BROTLI_PARAM_LGWIN]: Math.min(
      maxWindowBits,
      Math.max(constants.BROTLI_MIN_WINDOW_BITS, Math.ceil(Math.log2(bytes + 16))),
    ),
  },
});

/** The stored members, in this order, so that a copy of an article has as many bytes. */
const fields: (keyof KeptArticle)[] = [
  "less",
  "more",
  "title",
  "resolvedUrl",
  "nextUrl",
  "loginFound",
  "imageUrl",
  "author",
  "publishedAt",
  "language",
  "notice",
  "keptAt",
  "timeAdded",
  "isSupplied",
];

/** Bytes of an article as JSON: both views of the longest page. */
const maxBytes = 12_000_000;

/** The bytes that stores hold, which count against the quota. Throws `invalid` if it is too long. */
export function encodeArticle(article: KeptArticle): Promise<Buffer> {
  const json = Buffer.from(JSON.stringify(article, fields));
  if (json.byteLength > maxBytes) {
    throw new ServiceError(
      "invalid",
      `article: the text of the page exceeds ${maxBytes / 1_000_000} MB and is not saved`,
    );
  }
  return compress(json, optionsFor(json.byteLength));
}

/** The decompressed bytes that the articles of one answer may have. They are decompressed one after the other. */
export class ByteBudget {
  /** Below 0 once an article had more. */
  left: number;
  #last: Promise<unknown> = Promise.resolve();

  constructor(bytes: number) {
    this.left = bytes;
  }

  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.then(work);
    this.#last = next.catch(() => {});
    return next;
  }
}

/**
 * An article from stored bytes, whichever version wrote them. Undefined if it is longer than an article may be, or than
 * the budget allows: 300 stored bytes can hold a megabyte.
 */
export const decodeArticle = (bytes: Uint8Array, budget = new ByteBudget(maxBytes)): Promise<KeptArticle | undefined> =>
  budget.inTurn(() => decode(bytes, budget));

async function decode(bytes: Uint8Array, budget: ByteBudget): Promise<KeptArticle | undefined> {
  const chunks: Buffer[] = [];
  let left = maxBytes;
  for await (const chunk of createBrotliDecompress({ chunkSize: 65_536 }).end(bytes)) {
    left -= chunk.length;
    budget.left -= chunk.length;
    if (left < 0 || budget.left < 0) return undefined;
    chunks.push(chunk);
  }
  const defaults = { less: "", more: "", title: "", nextUrl: undefined, loginFound: false };
  return { ...defaults, ...JSON.parse(Buffer.concat(chunks).toString()) };
}
