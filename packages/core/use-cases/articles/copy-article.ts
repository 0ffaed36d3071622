// SPDX-License-Identifier: MIT

import { findBelongingsTime } from "../../domain/item.ts";
import type { KeptArticle } from "../../domain/kept-article.ts";
import type { ArticleOwner, ArticleStore } from "../../ports/articles.ts";
import type { Dependencies } from "../../ports/dependencies.ts";
import type { ItemStore } from "../../ports/items.ts";
import { itemIn } from "../lists/change-item.ts";
import { ownsArticle } from "./keep-article.ts";

/**
 * `existing`: the user has an equally new copy. `full`: the quota is used up. `missing`: the page is not in the list.
 */
export type CopyOutcome = "copied" | "existing" | "full" | "missing";

/** Saves a copy of an article for a user, and replaces an older one. */
export async function copyArticle(
  articles: Pick<ArticleStore, "find" | "keep">,
  owner: ArticleOwner,
  itemId: string,
  article: KeptArticle,
  quota: number,
): Promise<CopyOutcome> {
  const there = await articles.find(owner, itemId);
  if (there && there.keptAt >= article.keptAt && there.timeAdded === article.timeAdded) return "existing";
  return (await articles.keep(owner, itemId, article, quota)) === 0 ? "copied" : "full";
}

/** The same for an article of an archive, as the article of the item that the user's list has now. */
export async function importArticle(
  {
    items,
    articles,
    articleQuota,
  }: Pick<Dependencies, "articleQuota"> & {
    items: Pick<ItemStore, "find">;
    articles: Pick<ArticleStore, "find" | "keep" | "delete">;
  },
  owner: ArticleOwner,
  itemId: string,
  article: Omit<KeptArticle, "timeAdded">,
): Promise<CopyOutcome> {
  const item = await itemIn(items, owner, itemId);
  if (!item) return "missing";
  const copy = { ...article, timeAdded: findBelongingsTime(item) };
  const outcome = await copyArticle(articles, owner, itemId, copy, articleQuota);
  if (outcome !== "copied" || (await ownsArticle({ items, articles }, owner, itemId, copy))) return outcome;
  return "missing";
}
