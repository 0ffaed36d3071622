import { extendDeadline } from "../call-scope.ts";
import type { Item } from "../domain/item.ts";
import { itemIdOf } from "../domain/item-id.ts";
import type { KeptArticle } from "../domain/kept-article.ts";
import { ServiceError } from "../errors.ts";
import { type Application, type Dependencies, secondsOf, type TextView, type User } from "../ports.ts";
import { inPageSlot } from "./page-slot.ts";

type Needs = Pick<
  Dependencies,
  "clock" | "items" | "articles" | "articleQuota" | "reader" | "keyWindows" | "textsAtOnce"
>;

interface Caller {
  user: User;
  application: Application;
}

/** An article of the caller's list; `keptAt` is undefined if its page has no text, so that nothing is kept. */
export type ArticleAnswer = Omit<KeptArticle, "keptAt"> & { keptAt: number | undefined };

/** Deadline of a call that reads a page, in ms: 10 s for the page, and the database's 8 s. API Gateway's is 30 s. */
const deadlineMs = 20_000;

/**
 * The article that the user keeps of a page of the list. If there is none, or with `refresh`, the page is read and its
 * article kept. Throws `invalid` if the page is not in the list or cannot be fetched, or the quota is exceeded: then the
 * kept article is as it was.
 */
export async function readArticle(
  deps: Needs,
  caller: Caller,
  { url, refresh = false }: { url: string; refresh?: boolean },
): Promise<ArticleAnswer> {
  const { item, kept } = await findArticle(deps, caller, url);
  if (kept && !refresh) return kept;
  extendDeadline(deadlineMs);
  const read = (mode: "less" | "more") =>
    deps.reader.read({ url: item.url, mode, images: true, ...(refresh && { isReload: true }) });
  const views = await inPageSlot(deps, caller.application.id, () => Promise.all([read("less"), read("more")]));
  return keep(deps, caller, { item, kept }, views);
}

/** Keeps the article of a page's HTML as the user sees it. Throws as `readArticle` does. */
export async function keepHtml(
  deps: Needs,
  caller: Caller,
  { url, html }: { url: string; html: string },
): Promise<ArticleAnswer> {
  const found = await findArticle(deps, caller, url);
  extendDeadline(deadlineMs);
  const extract = (mode: "less" | "more") => deps.reader.extract(html, { url: found.item.url, mode, images: true });
  const views = await inPageSlot(deps, caller.application.id, () => Promise.all([extract("less"), extract("more")]));
  return keep(deps, caller, found, views);
}

/** An item of the caller's list and its article. */
interface Found {
  item: Item;
  kept: KeptArticle | undefined;
}

async function findArticle({ items, articles }: Needs, { user }: Caller, url: string): Promise<Found> {
  const itemId = itemIdOf(url);
  const [found, kept] = await Promise.all([items.find(user.username, [itemId]), articles.find(user, itemId)]);
  const item = found.get(itemId);
  if (!item || item.isDeleted) throw notInList();
  return { item, kept: kept?.timeAdded === item.timeAdded ? kept : undefined };
}

const notInList = () => new ServiceError("invalid", "article: url is not in the list; add it first");

async function keep(
  deps: Needs,
  { user }: Caller,
  { item, kept }: Found,
  [less, more]: [TextView, TextView],
): Promise<ArticleAnswer> {
  const { html, ...view } = less;
  const { itemId, timeAdded } = item;
  const article = { ...view, less: html, more: more.html, keptAt: secondsOf(deps.clock), timeAdded };
  // An empty view never replaces a kept one.
  if (kept && ((kept.less !== "" && html === "") || (kept.more !== "" && more.html === ""))) return kept;
  if (html === "" && more.html === "") return { ...article, keptAt: undefined };
  if (!(await deps.articles.keep(user, itemId, article, deps.articleQuota))) throw quotaExceeded(deps.articleQuota);
  const now = (await deps.items.find(user.username, [itemId])).get(itemId);
  if (now?.timeAdded === timeAdded && !now.isDeleted) return article;
  // A deletion of the item has deleted its article before this one was kept.
  await deps.articles.delete(user, [itemId]);
  throw notInList();
}

const quotaExceeded = (quota: number) =>
  new ServiceError(
    "invalid",
    `article: the quota of ${Math.floor(quota / 1_000_000).toLocaleString("en")} MB of kept articles is used up; delete pages with articles first`,
  );
