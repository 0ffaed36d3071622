import type { LocalItem } from "@reading-list/client/main.ts";

export type Order = "newest" | "oldest";

/**
 * The items of a view in its order: unread ones by when they were added, archived ones by when they were archived. Pages
 * that were added on this device and are not sent yet count as the newest, whatever its clock says.
 */
export function itemsOfView(items: readonly LocalItem[], view: "unread" | "archive", order: Order): LocalItem[] {
  const state = view === "archive" ? "read" : "unread";
  const shown = items.filter((item) => item.state === state);
  if (state === "unread") {
    const timeOf = ({ itemId, timeAdded }: LocalItem) => (itemId ? timeAdded.getTime() : Number.POSITIVE_INFINITY);
    // `Infinity - Infinity` is NaN, which keeps their order.
    shown.sort((a, b) => timeOf(b) - timeOf(a) || 0);
  }
  return order === "oldest" ? shown.reverse() : shown;
}

export interface Filter {
  tag?: string | undefined;
  /** Words that an item must contain, all of them, in its title, URL, tags or cached text. */
  search?: string | undefined;
}

/** The items that a filter leaves. `texts` are the cached texts in lower case, by URL. */
export function filterItems(
  items: readonly LocalItem[],
  { tag, search = "" }: Filter,
  texts: ReadonlyMap<string, string> = new Map(),
): readonly LocalItem[] {
  const words = foldCase(search).split(/\s+/).filter(Boolean);
  if (words.length === 0 && !tag) return items;
  return items.filter((item) => {
    if (tag && !item.tags.includes(tag)) return false;
    const fields = wordsOf(item);
    return words.every((word) => fields.includes(word) || texts.get(item.url)?.includes(word));
  });
}

const folded = new WeakMap<LocalItem, string>();

function wordsOf(item: LocalItem): string {
  let words = folded.get(item);
  if (words === undefined) {
    words = foldCase(`${item.title}\n${item.url}\n${item.tags.join("\n")}`);
    folded.set(item, words);
  }
  return words;
}

const foldCase = (text: string) => text.toLowerCase();

/** All tags of a list with the number of their items, the most frequent first. */
export function countTags(items: readonly LocalItem[]): [tag: string, count: number][] {
  const counts = new Map<string, number>();
  for (const { tags } of items) for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return [...counts].sort(([a, m], [b, n]) => n - m || a.localeCompare(b));
}
