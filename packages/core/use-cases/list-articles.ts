import type { Item } from "../domain/item.ts";
import type { KeptArticle } from "../domain/kept-article.ts";
import type { Dependencies } from "../ports.ts";
import { readArticle } from "./keep-article.ts";
import type { Caller } from "./use-case.ts";

/** Pages that one listing reads at once. */
const pagesAtOnce = 6;
const articlesAtOnce = 16;

/**
 * The kept articles of items, by item id. Pages without one are read, for `articleWaitMs` in all; a page that cannot be read is not
 * tried again for an hour. What is missing then is read by the next listing.
 */
export async function listArticles(
  deps: Dependencies,
  caller: Caller,
  items: readonly Item[],
): Promise<Map<string, KeptArticle>> {
  const found = new Map<string, KeptArticle>();
  await forEach(items, articlesAtOnce, async ({ itemId, timeAdded }) => {
    const article = await deps.articles.find(caller.user, itemId);
    if (article?.timeAdded === timeAdded) found.set(itemId, article);
  });
  const keyOf = ({ itemId }: Item) => `${caller.user.userId} ${itemId}`;
  const missing = items.filter((item) => !found.has(item.itemId) && !deps.unreadablePages.has(keyOf(item)));
  if (missing.length === 0) return found;
  let isLate = false;
  const reading = forEach(missing, pagesAtOnce, async (item) => {
    if (isLate) return;
    try {
      const { keptAt, ...article } = await readArticle(deps, caller, { url: item.url });
      if (keptAt === undefined) deps.unreadablePages.set(keyOf(item), true);
      else found.set(item.itemId, { ...article, keptAt });
    } catch {
      // A slow page may still be kept; a faulty one must not delay each listing.
      deps.unreadablePages.set(keyOf(item), true);
    }
  });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, deps.articleWaitMs);
  });
  await Promise.race([reading, late]);
  clearTimeout(timer);
  isLate = true;
  return found;
}

/** Works on values, some at a time. */
async function forEach<T>(values: readonly T[], atOnce: number, work: (value: T) => Promise<void>): Promise<void> {
  const queue = values.values();
  const worker = async () => {
    for (const value of queue) await work(value);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
