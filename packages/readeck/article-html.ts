// SPDX-License-Identifier: MIT

import { escapeHtml } from "@reading-list/core/domain/article-markup.ts";
import type { Item } from "@reading-list/core/domain/item.ts";
import type { ByteBudget } from "@reading-list/core/domain/kept-article.ts";
import { readArticle } from "@reading-list/core/use-cases/articles/keep-article.ts";
import type { Caller } from "@reading-list/core/use-cases/use-case.ts";
import type { ApiPorts } from "@reading-list/http/api.ts";

/** The HTML of an item's article, read now if none is kept; a link if its page has no text. */
export async function readHtml(deps: ApiPorts, caller: Caller, { url }: Item, budget?: ByteBudget): Promise<string> {
  const { less, more } = await readArticle(deps, caller, { url, ...(budget && { budget }) });
  return less || more || `<p><a href="${escapeHtml(url)}">${escapeHtml(url)}</a></p>`;
}

/** The body of `bookmarks/{id}/article`: places of annotations are those of its text. */
export const readServedArticle = async (deps: ApiPorts, caller: Caller, item: Item): Promise<string> =>
  `<section>${await readHtml(deps, caller, item)}</section>`;
