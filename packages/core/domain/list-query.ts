import type { Item, ItemState } from "./item.ts";
import { starredTag, tagsIn } from "./tags.ts";

/** The part of a list that an app of another service asks for. All conditions apply together. */
export interface ListQuery {
  state?: ItemState | undefined;
  /** Whether it has the tag of favourites. */
  isStarred?: boolean | undefined;
  /** Tags, all of which an item must have. */
  tags?: readonly string[] | undefined;
  /** Only items with a `time_updated` above it. */
  changedAfter?: number | undefined;
  itemIds?: readonly string[] | undefined;
  /** Words, each of which is in the title, the URL or the tags, in any case. */
  search?: string | undefined;
  /** The host of the page, or a domain above it. */
  site?: string | undefined;
  sort: { by: "added" | "changed" | "title" | "site"; descending: boolean };
  offset: number;
  /** Number of items to return; more if items have left the earlier pages meanwhile. */
  limit: number;
}

/** The host of a page, without `www.`; empty if its URL cannot be parsed. */
export const siteOf = ({ url }: Pick<Item, "url">): string => URL.parse(url)?.hostname.replace(/^www\./, "") ?? "";

/** Whether an item meets all conditions of a query. */
export function matcherOf(query: ListQuery): (item: Item) => boolean {
  const { state, isStarred, tags = [], changedAfter = 0, itemIds, search = "", site } = query;
  const words = search.toLowerCase().split(/\s+/);
  const ids = itemIds && new Set(itemIds);
  return (item) => {
    if (item.timeUpdated <= changedAfter) return false;
    if (state !== undefined && item.state !== state) return false;
    if (ids && !ids.has(item.itemId)) return false;
    if (isStarred !== undefined || tags.length > 0) {
      const own = tagsIn(item.tags);
      if (isStarred !== undefined && own.includes(starredTag) !== isStarred) return false;
      if (!tags.every((tag) => own.includes(tag))) return false;
    }
    if (site !== undefined && !`.${siteOf(item)}`.endsWith(`.${site.toLowerCase().replace(/^www\./, "")}`))
      return false;
    if (search === "") return true;
    const text = `${item.title} ${item.url} ${item.tags}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
}

const keys: Record<ListQuery["sort"]["by"], (item: Item) => string | number> = {
  added: ({ timeAdded }) => timeAdded,
  changed: ({ changeKey }) => changeKey,
  title: ({ title }) => title.toLowerCase(),
  site: siteOf,
};

/** Items in the order of a query; those with equal keys by their ids, so that all pages have one order. */
export function sortItems(items: readonly Item[], { by, descending }: ListQuery["sort"]): Item[] {
  const sign = descending ? -1 : 1;
  const keyed = items.map((item) => ({ item, key: keys[by](item) }));
  keyed.sort((a, b) => sign * (a.key < b.key ? -1 : a.key > b.key ? 1 : a.item.itemId < b.item.itemId ? -1 : 1));
  return keyed.map(({ item }) => item);
}

/** Seconds between two pages that a client reads one after the other. */
const pageGapSeconds = 120;
/** Items that a page repeats at most. */
const repeatedItems = 1000;

/** A page of matching items, and the number of all of them. */
export interface ItemPage {
  items: Item[];
  total: number;
}

/**
 * A page of a list that changes while a client reads its pages. If items have left the earlier pages since the page
 * before, those behind them have moved up: the page then begins so many items earlier. It also has the items that have
 * changed their place since. So a client may see an item twice, but misses none.
 *
 * `items`: the whole list as of a second. `deletedSince` counts the deletions after a second.
 */
export async function pageOf(
  items: Iterable<Item>,
  query: ListQuery,
  asOf: number,
  deletedSince: (seconds: number) => Promise<number>,
): Promise<ItemPage> {
  const { offset, limit, sort } = query;
  const isMatch = matcherOf(query);
  const since = asOf - pageGapSeconds;
  const matching: Item[] = [];
  let left = 0;
  const isRecent = ({ timeUpdated }: Item) => timeUpdated > since;
  // A change moves an item to the beginning of a list that has the newest first, which moves no other one up.
  const newestFirst = sort.descending && (sort.by === "added" || sort.by === "changed");
  for (const item of items) {
    const matches = isMatch(item);
    if (matches) matching.push(item);
    if (isRecent(item) && !(matches && newestFirst)) left++;
  }
  const sorted = sortItems(matching, sort);
  const total = sorted.length;
  if (offset === 0) return { items: sorted.slice(0, limit), total };
  left = Math.min(left + (await deletedSince(since)), repeatedItems);
  const start = Math.max(0, offset - left);
  const moved = sorted.slice(0, start).filter(isRecent).slice(0, repeatedItems);
  return { items: [...moved, ...sorted.slice(start, offset + limit)], total };
}
