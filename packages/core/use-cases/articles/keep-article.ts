// SPDX-License-Identifier: MIT

import { extendDeadline } from "../../call-scope.ts";
import { findBelongingsTime, type Item } from "../../domain/item.ts";
import { toItemId } from "../../domain/item-id.ts";
import { type ByteBudget, belongsTo, type KeptArticle } from "../../domain/kept-article.ts";
import type { KnownFields, TextView } from "../../domain/text-view.ts";
import { ServiceError } from "../../errors.ts";
import type { ArticleOwner, ArticleStore } from "../../ports/articles.ts";
import { unixTime } from "../../ports/clock.ts";
import type { Dependencies } from "../../ports/dependencies.ts";
import type { ItemStore, TrashStore } from "../../ports/items.ts";
import type { PageReader } from "../../ports/pages.ts";
import { itemIn } from "../lists/change-item.ts";
import type { Caller } from "../use-case.ts";
import { makeRoom } from "./make-room.ts";
import { inPageSlot } from "./page-slot.ts";

/** The ports of the use cases of articles. */
export type ArticlePorts = Pick<
  Dependencies,
  "clock" | "isDiskFull" | "articleQuota" | "reader" | "keyWindows" | "textsAtOnce"
> & {
  articles: Pick<ArticleStore, "find" | "keep" | "sizes" | "delete">;
  items: Pick<ItemStore, "find">;
  trash: Pick<TrashStore, "walk">;
};

type Owner = Pick<Caller, "user" | "application" | "address">;

/** An article of the caller's list; `keptAt` is undefined if its page has no text, so that nothing is kept. */
export type ArticleAnswer = Omit<KeptArticle, "keptAt"> & { keptAt: number | undefined };

/** Deadline of a call that reads a page, in ms: 10 s for the page, and the database's 8 s. API Gateway's is 30 s. */
const deadlineMs = 20_000;

/**
 * The user's saved article of a page in the list. Without one, or with `refresh`, the page is read and its article
 * saved. Throws `invalid` if the page is not in the list or cannot be fetched, or the quota is exceeded: then the saved
 * article stays unchanged. `part` names the parameter of a page of a book, which shares the deadline of the book. `budget`
 * belongs to an answer with several articles: throws `invalid` once it is used up.
 */
export async function readArticle(
  deps: ArticlePorts,
  caller: Owner,
  {
    url,
    refresh = false,
    part,
    budget,
    known,
  }: { url: string; refresh?: boolean; part?: string; budget?: ByteBudget; known?: KnownFields },
): Promise<ArticleAnswer> {
  const { item, kept } = await findArticle(deps, caller, url, { part, budget });
  if (kept && !refresh) return kept;
  if (part === undefined) extendDeadline(deadlineMs);
  const { less, more } = await read(deps, caller, item.url, { isReload: refresh });
  if (budget) budget.left -= less.html.length + more.html.length;
  return keep(deps, caller, { item, kept }, { less, more }, known);
}

/** Throws `notFound` for a page that cannot be read, so that an app which expects a saved article asks again later. */
export function rejectUnreadable(error: unknown): never {
  const isOfPage = error instanceof ServiceError && error.kind === "invalid";
  throw isOfPage ? new ServiceError("notFound", error.message, { cause: error }) : error;
}

/** Keeps the article of a page's HTML as the user sees it. Throws as `readArticle` does. */
export async function keepHtml(
  deps: ArticlePorts,
  caller: Owner,
  { url, html, known }: { url: string; html: string; known?: KnownFields },
): Promise<ArticleAnswer> {
  const found = await findArticle(deps, caller, url);
  extendDeadline(deadlineMs);
  const views = await read(deps, caller, found.item.url, { html });
  return keep(deps, caller, found, views, { ...known, isSupplied: true });
}

/** The article that is kept of an item; no page is read. */
export async function findKept(
  { articles }: { articles: Pick<ArticleStore, "find"> },
  user: ArticleOwner,
  item: Item,
): Promise<KeptArticle | undefined> {
  const article = await articles.find(user, item.itemId);
  return article && belongsTo(article, item) ? article : undefined;
}

/** Reads an article in a slot of the application. */
const read = (deps: ArticlePorts, caller: Owner, url: string, source: Parameters<PageReader["readArticle"]>[1]) =>
  inPageSlot(deps, "article", caller, (turn) => deps.reader.readArticle(url, source, turn));

/** An item of the caller's list and its article. */
interface Found {
  item: Item;
  kept: KeptArticle | undefined;
}

async function findArticle(
  { items, articles }: ArticlePorts,
  { user }: Owner,
  url: string,
  { part, budget }: { part?: string | undefined; budget?: ByteBudget | undefined } = {},
): Promise<Found> {
  const itemId = toItemId(url);
  if (budget && budget.left < 0) throw tooLong();
  const [item, kept] = await Promise.all([itemIn(items, user, itemId), articles.find(user, itemId, budget)]);
  if (!item) throw notInList(part);
  if (budget && budget.left < 0) throw tooLong();
  return { item, kept: kept && belongsTo(kept, item) ? kept : undefined };
}

const notInList = (part = "url") =>
  new ServiceError("invalid", `article: ${part} is not in the list; add it first`, { code: "not_in_list" });

const tooLong = () =>
  new ServiceError("invalid", "article: the texts of these pages are too long for one response; ask for fewer pages");

/** Fields that are known without the page. */
type KeptFields = KnownFields & Pick<KeptArticle, "isSupplied">;

/** The article of an item, of the views of its page. */
export function toKeptArticle(
  item: Item,
  { less: { html, ...view }, more }: Record<"less" | "more", TextView>,
  keptAt: number,
  known: KeptFields = {},
): KeptArticle {
  return { ...view, ...known, less: html, more: more.html, keptAt, timeAdded: findBelongingsTime(item) };
}

async function keep(
  deps: ArticlePorts,
  { user }: Owner,
  { item, kept }: Found,
  views: Record<"less" | "more", TextView>,
  known?: KeptFields,
): Promise<ArticleAnswer> {
  const { itemId } = item;
  const article = toKeptArticle(item, views, unixTime(deps.clock), known);
  const { less, more } = article;
  // An empty view never replaces a kept one.
  if (kept && ((kept.less !== "" && less === "") || (kept.more !== "" && more === ""))) return kept;
  if (less === "" && more === "") return { ...article, keptAt: undefined };
  if (deps.isDiskFull?.()) return kept ?? { ...article, keptAt: undefined };
  for (let isFirst = true; ; isFirst = false) {
    const lacking = await deps.articles.keep(user, itemId, article, deps.articleQuota);
    if (lacking === 0) break;
    if (!isFirst || !(await makeRoom(deps.trash, deps.articles, user, lacking))) throw quotaExceeded(deps.articleQuota);
  }
  if (await ownsArticle(deps, user, itemId, article)) return article;
  throw notInList();
}

/**
 * Whether a saved article belongs to an item of the list. If the item was purged meanwhile, the article is deleted; if
 * it is in the trash, the article is there with it.
 */
export async function ownsArticle(
  { items, articles }: { items: Pick<ItemStore, "find">; articles: Pick<ArticleStore, "delete"> },
  owner: ArticleOwner,
  itemId: string,
  article: Pick<KeptArticle, "timeAdded">,
): Promise<boolean> {
  const item = (await items.find(owner.username, [itemId])).get(itemId);
  const isOwner = item !== undefined && belongsTo(article, item);
  if (isOwner && !item.isDeleted) return true;
  if (!isOwner || item.trashedState === undefined) await articles.delete(owner, [itemId]);
  return false;
}

const quotaExceeded = (quota: number) =>
  new ServiceError(
    "invalid",
    `article: the quota of ${Math.floor(quota / 1_000_000).toLocaleString("en")} MB of saved copies is used up; delete pages with saved copies first`,
    { code: "quota_full" },
  );
