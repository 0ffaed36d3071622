import { promisify } from "node:util";
import { brotliCompress, brotliDecompress, constants } from "node:zlib";
import type { TextRequest, TextView } from "./text-view.ts";

/** The text views of a page that a user keeps with an item. URLs are absolute http(s) URLs. Times are unix seconds. */
export interface KeptArticle extends Omit<TextView, "html"> {
  /** The views of both modes, with images: clean HTML fragments, of which one may be empty. */
  less: string;
  more: string;
  keptAt: number;
  /** `Item.timeAdded` of its item: an article never belongs to an item that was deleted and added again. */
  timeAdded: number;
}

/** The view of one mode. The sanitiser writes `>` as `&gt;` in attributes. */
export function viewOf(
  article: Omit<KeptArticle, "keptAt">,
  { mode, images }: Pick<TextRequest, "mode" | "images">,
): TextView {
  const html = article[mode];
  return { ...article, html: images ? html : html.replaceAll(/<img [^>]*>/g, "") };
}

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);

/** The window of 4 MB covers both views, of which the second repeats most of the first. */
const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 22 } };

/** The stored members, in this order, so that a copy of an article has as many bytes. */
const fields: (keyof KeptArticle)[] = [
  ...(["less", "more", "title", "resolvedUrl", "nextUrl", "loginFound", "imageUrl", "author", "publishedAt"] as const),
  ...(["keptAt", "timeAdded"] as const),
];

/** The bytes that stores hold, which count against the quota. */
export const encodeArticle = (article: KeptArticle): Promise<Buffer> =>
  compress(JSON.stringify(article, fields), options);

/** An article from stored bytes, whichever version wrote them. */
export async function decodeArticle(bytes: Uint8Array): Promise<KeptArticle> {
  const defaults = { less: "", more: "", title: "", nextUrl: undefined, loginFound: false };
  return { ...defaults, ...JSON.parse((await decompress(bytes)).toString()) };
}
