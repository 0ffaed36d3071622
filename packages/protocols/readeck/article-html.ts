// SPDX-License-Identifier: MIT

import { describeDrawings } from "@reading-list/core/domain/drawing.ts";
import { escapeHtml } from "@reading-list/core/domain/escape.ts";
import type { Item } from "@reading-list/core/domain/item.ts";
import type { ByteBudget, KeptArticle } from "@reading-list/core/domain/kept-article.ts";
import { readArticle } from "@reading-list/core/use-cases/articles/keep-article.ts";
import type { Caller } from "@reading-list/core/use-cases/use-case.ts";
import type { ApiPorts } from "../ports.ts";

type Views = Pick<KeptArticle, "less" | "more">;

/** The HTML of an article; a link if its page has no text. */
const writeHtml = ({ less, more }: Views, url: string): string =>
  describeDrawings(less || more) || `<p><a href="${escapeHtml(url)}">${escapeHtml(url)}</a></p>`;

/** The HTML of an item's article, read now if none is kept. */
export const readHtml = async (deps: ApiPorts, caller: Caller, { url }: Item, budget?: ByteBudget): Promise<string> =>
  writeHtml(await readArticle(deps, caller, { url, ...(budget && { budget }) }), url);

/** The body of `bookmarks/{id}/article`: places of annotations refer to its text. */
export const servedHtml = (article: Views, url: string): string => `<section>${writeHtml(article, url)}</section>`;

/** The same of an item, whose article is read now if none is kept. */
export const readServedArticle = async (deps: ApiPorts, caller: Caller, { url }: Item): Promise<string> =>
  servedHtml(await readArticle(deps, caller, { url }), url);
