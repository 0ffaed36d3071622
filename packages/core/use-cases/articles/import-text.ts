// SPDX-License-Identifier: MIT

import { listPictures } from "../../domain/article-pictures.ts";
import { toItemId } from "../../domain/item-id.ts";
import { isFaultOfPage } from "../../errors.ts";
import type { ArticleOwner, ArticleStore } from "../../ports/articles.ts";
import { unixTime } from "../../ports/clock.ts";
import type { Dependencies } from "../../ports/dependencies.ts";
import type { ItemStore } from "../../ports/items.ts";
import type { PageReader } from "../../ports/pages.ts";
import type { PictureReader, PictureStore } from "../../ports/pictures.ts";
import { itemIn } from "../lists/change-item.ts";
import { importArticle } from "./copy-article.ts";
import { toKeptArticle } from "./keep-article.ts";

export interface ImportPorts extends Pick<Dependencies, "clock" | "articleQuota" | "pictureQuota"> {
  items: Pick<ItemStore, "find">;
  articles: Pick<ArticleStore, "find" | "keep" | "sizes" | "delete">;
  reader: Pick<PageReader, "readArticle">;
  pictures: Pick<PictureReader, "toWebp">;
  pictureStore: Pick<PictureStore, "keep">;
}

/** The text of a page of a file, and the pictures in it by their addresses in the text. */
export interface ImportedText {
  url: string;
  html: string;
  pictures: ReadonlyMap<string, Uint8Array>;
  timeAdded: number | undefined;
}

/** `existing`: an article is kept already. `full`: the quota is used up. `missing`: the page is not in the list. */
export type TextOutcome = "kept" | "existing" | "full" | "missing" | "unreadable";

/** Characters of a text without its pictures: more than a page of 5 MB has. */
const maxLength = 8_000_000;

/** Where the work of an import waits for its turn. */
const toTurn = ({ userId }: ArticleOwner) => ({ address: "import", user: userId });

/** Keeps the text that a file has of a page of the list, with its pictures, unless one is kept. Idempotent. */
export async function importText(
  deps: ImportPorts,
  owner: ArticleOwner,
  { url, html, pictures, timeAdded }: ImportedText,
): Promise<TextOutcome> {
  const { items, articles, reader, clock } = deps;
  const itemId = toItemId(url);
  const item = await itemIn(items, owner, itemId);
  if (!item) return "missing";
  if ((await articles.sizes(owner, [itemId])).has(itemId)) return "existing";
  if (html.length > maxLength) return "unreadable";
  const views = await reader.readArticle(item.url, { html }, toTurn(owner)).catch((error) => {
    if (isFaultOfPage(error)) return undefined;
    throw error;
  });
  if (!views || (views.less.html === "" && views.more.html === "")) return "unreadable";
  const article = toKeptArticle(item, views, timeAdded ?? unixTime(clock));
  const outcome = await importArticle(deps, owner, itemId, article);
  if (outcome !== "copied") return outcome;
  for (const address of listPictures(article)) {
    const content = pictures.get(address);
    if (content) await keepPicture(deps, owner, itemId, address, content);
  }
  return "kept";
}

/** Keeps a picture if it can be decoded, and has room. */
async function keepPicture(
  { pictures, pictureStore, pictureQuota }: ImportPorts,
  owner: ArticleOwner,
  itemId: string,
  url: string,
  content: Uint8Array,
): Promise<void> {
  const webp = await pictures.toWebp(content, toTurn(owner));
  if (webp) await pictureStore.keep(owner, itemId, { url, content: webp }, pictureQuota);
}
