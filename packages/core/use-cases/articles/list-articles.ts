// SPDX-License-Identifier: MIT

import type { Item } from "../../domain/item.ts";
import { ByteBudget, belongsTo, type KeptArticle } from "../../domain/kept-article.ts";
import { isFaultOfPage } from "../../errors.ts";
import type { Dependencies } from "../../ports/dependencies.ts";
import { forEach, forEachInTime } from "../for-each.ts";
import type { Caller } from "../use-case.ts";
import { type ArticlePorts, readArticle } from "./keep-article.ts";

/** Pages that one listing reads at once, if the limit of the key allows it. */
const maxPagesAtOnce = 6;
const articlesAtOnce = 16;
/** Bytes of all articles of one listing, decompressed: both views of the articles that fit into an answer. */
const maxBytes = 12_000_000;

/**
 * The kept articles of items, by item id. Pages without one are read, for `articleWaitMs` in all; the next listing
 * reads the missing ones. Articles that exceed the bytes of a listing are left out. A page that cannot be read is not
 * tried again for an hour, because it would delay each listing; a page for which the service had no capacity is tried
 * again.
 */
export async function listArticles(
  deps: ArticlePorts & Pick<Dependencies, "articleWaitMs" | "unreadablePages">,
  caller: Caller,
  items: readonly Item[],
): Promise<Map<string, KeptArticle>> {
  const found = new Map<string, KeptArticle>();
  const budget = new ByteBudget(maxBytes);
  const leftOut = new Set<string>();
  await forEach(items, articlesAtOnce, async (item) => {
    const { itemId } = item;
    const article = budget.left < 0 ? undefined : await deps.articles.find(caller.user, itemId, budget);
    if (article && belongsTo(article, item)) found.set(itemId, article);
    else if (budget.left < 0) leftOut.add(itemId);
  });
  const toKey = ({ itemId }: Item) => `${caller.user.userId} ${itemId}`;
  const missing = items.filter(
    (item) => !found.has(item.itemId) && !leftOut.has(item.itemId) && !deps.unreadablePages.has(toKey(item)),
  );
  const pagesAtOnce = Math.min(maxPagesAtOnce, deps.textsAtOnce);
  await forEachInTime(missing, pagesAtOnce, deps.articleWaitMs, async (item) => {
    try {
      const { keptAt, ...article } = await readArticle(deps, caller, { url: item.url });
      if (keptAt === undefined) deps.unreadablePages.set(toKey(item), true);
      else found.set(item.itemId, { ...article, keptAt });
    } catch (error) {
      if (isFaultOfPage(error)) deps.unreadablePages.set(toKey(item), true);
    }
  });
  return found;
}
