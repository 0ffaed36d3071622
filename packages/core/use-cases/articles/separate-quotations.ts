// SPDX-License-Identifier: MIT

import type { Highlight } from "../../domain/highlights.ts";
import type { Item } from "../../domain/item.ts";
import { type ByteBudget, belongsTo } from "../../domain/kept-article.ts";
import { readHighlightedPage } from "../../domain/placed-highlights.ts";
import type { QuotationBudget } from "../../domain/quotation.ts";
import type { ArticleOwner, ArticleStore } from "../../ports/articles.ts";

/** Limits of the work on an answer of several pages; without them every quotation gets its breaks. */
interface Budgets {
  bytes?: ByteBudget;
  quotations?: QuotationBudget;
}

/**
 * The highlights of an item in the order of its text, with a break between the blocks of each quotation; as they are stored
 * if no article is kept, or the budget is spent.
 */
export async function separateQuotations(
  articles: Pick<ArticleStore, "find">,
  owner: ArticleOwner,
  item: Item,
  highlights: readonly Highlight[],
  { bytes, quotations }: Budgets = {},
): Promise<readonly Highlight[]> {
  if (highlights.length === 0 || (bytes && bytes.left <= 0)) return highlights;
  const article = await articles.find(owner, item.itemId, bytes);
  if (!article || !belongsTo(article, item)) return highlights;
  const { placed } = await readHighlightedPage(article.less || article.more, highlights, quotations);
  return placed.map(({ highlight }) => highlight);
}
