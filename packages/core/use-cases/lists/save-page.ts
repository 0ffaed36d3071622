// SPDX-License-Identifier: MIT

import { setTimeout as pause } from "node:timers/promises";
import { type Change, parseAddition } from "../../domain/changes.ts";
import { toItemId } from "../../domain/item-id.ts";
import { cutText, maxLengths } from "../../domain/page-fields.ts";
import type { KnownFields } from "../../domain/text-view.ts";
import type { Dependencies } from "../../ports/dependencies.ts";
import { type ArticleAnswer, type ArticlePorts, keepHtml, readArticle } from "../articles/keep-article.ts";
import type { Caller } from "../use-case.ts";
import { applyChanges, type ChangePorts } from "./apply-changes.ts";
import { itemIn } from "./change-item.ts";

type Ports = ArticlePorts & ChangePorts & Pick<Dependencies, "articleWaitMs">;

/** A page that an app saves; `html` if the app has sent it, and `changes` of the new item. */
export interface SavedPage {
  url: string;
  title: string | undefined;
  html: string | undefined;
  known?: KnownFields;
  /** Unix seconds, not later than now; now if absent. */
  timeAdded?: number | undefined;
  changes: readonly Change[];
}

/**
 * Adds a page, and saves its article. An item without a title takes the article's. Returns the article; undefined if it
 * failed or was not there within `articleWaitMs`: a listing reads it again.
 */
export async function savePage(deps: Ports, caller: Caller, page: SavedPage): Promise<ArticleAnswer | undefined> {
  const { url, title, timeAdded, changes } = page;
  await applyChanges(deps, caller, [parseAddition({ url, title, time_added: timeAdded }), ...changes]);
  const keeping = keepArticle(deps, caller, page).catch(() => undefined);
  return Promise.race([keeping, pause(deps.articleWaitMs, undefined, { ref: false })]);
}

async function keepArticle(deps: Ports, caller: Caller, { url, html, known = {} }: SavedPage): Promise<ArticleAnswer> {
  const article = html
    ? await keepHtml(deps, caller, { url, html, known })
    : await readArticle(deps, caller, { url, known });
  const itemId = toItemId(url);
  const item = await itemIn(deps.items, caller.user, itemId);
  if (article.title && item?.title === item?.url) {
    const title = cutText(article.title, maxLengths.title);
    await applyChanges(deps, caller, [{ kind: "title", itemId, title }]);
  }
  return article;
}
