// SPDX-License-Identifier: MIT

import { changeKeyAt, type Item, type ItemState } from "./item.ts";
import { searchLimits } from "./search-query.ts";
import { labelsOf, starredTag, tagsIn } from "./tags.ts";
import { inTurns, sortInTurns } from "./turns.ts";

export type ReadStatus = "unread" | "reading" | "read";

const readStatusOf = ({ progress }: Item): ReadStatus =>
  !progress?.percent ? "unread" : progress.percent < 100 ? "reading" : "read";

/** The part of a list that an app of another service asks for. All conditions apply together. */
export interface ListQuery {
  state?: ItemState | undefined;
  /** Whether it has the tag of favourites. */
  isStarred?: boolean | undefined;
  /** Tags, all of which an item must have. */
  tags?: readonly string[] | undefined;
  /** Only items with a `time_updated` above it: no others are read. */
  changedAfter?: number | undefined;
  /** Only items that have changed after it in more than their progress. */
  contentAfter?: number | undefined;
  itemIds?: readonly string[] | undefined;
  /** A search of the text (`ListSearch`); without an index, words of title, URL and tags, in any case. */
  search?: string | undefined;
  /** Whether it has labels. */
  hasLabels?: boolean | undefined;
  /** Whether it has highlights. */
  isHighlighted?: boolean | undefined;
  /** Bounds of `timeAdded`, in unix seconds. */
  addedFrom?: number | undefined;
  addedTo?: number | undefined;
  /** How far it was read: not at all, in part, or to the end. */
  readStatus?: readonly ReadStatus[] | undefined;
  /** The host of the page, or a domain above it. */
  site?: string | undefined;
  /** The host of the page itself, as `siteOf` has it. */
  host?: string | undefined;
  /** Conditions of which an item meets all, at least one, or none. */
  allOf?: readonly ListConditions[] | undefined;
  anyOf?: readonly ListConditions[] | undefined;
  noneOf?: readonly ListConditions[] | undefined;
  /** `content`: by the last change but of progress alone. */
  sort: { by: "added" | "changed" | "content" | "title" | "site"; descending: boolean };
  offset: number;
  limit: number;
}

/** Conditions that a query combines. */
export type ListConditions = Pick<ListQuery, "state" | "isStarred" | "tags" | "itemIds" | "host">;

/** The host of a page, without `www.`; empty if its URL cannot be parsed. */
export const siteOf = ({ url }: Pick<Item, "url">): string => URL.parse(url)?.hostname.replace(/^www\./, "") ?? "";

/**
 * Whether an item that was read meets all conditions of a query. `highlighted`: the ids of items with highlights; `found`:
 * those that its search has found.
 */
export function matcherOf(
  query: Omit<ListQuery, "sort" | "offset" | "limit">,
  highlighted?: ReadonlySet<string>,
  found?: ReadonlySet<string>,
): (item: Item) => boolean {
  const { state, isStarred, tags = [], itemIds, search = "", site, contentAfter = -1 } = query;
  const words = [...new Set(search.toLowerCase().split(/\s+/))].slice(0, searchLimits.terms);
  const wanted = new Set(tags);
  const ids = itemIds && new Set(itemIds);
  const [allOf = [], anyOf, noneOf = []] = [query.allOf, query.anyOf, query.noneOf].map((conditions) =>
    conditions?.map((each) => matcherOf(each)),
  );
  return (item) => {
    if (state !== undefined && item.state !== state) return false;
    if (timeOfContent(item) <= contentAfter) return false;
    if (ids && !ids.has(item.itemId)) return false;
    if (isStarred !== undefined || tags.length > 0) {
      const own = tagsIn(item.tags);
      if (isStarred !== undefined && own.includes(starredTag) !== isStarred) return false;
      if (own.filter((tag) => wanted.has(tag)).length < wanted.size) return false;
    }
    if (highlighted && highlighted.has(item.itemId) !== query.isHighlighted) return false;
    if (query.hasLabels !== undefined && labelsOf(item).length > 0 !== query.hasLabels) return false;
    if (item.timeAdded < (query.addedFrom ?? 0) || item.timeAdded > (query.addedTo ?? Infinity)) return false;
    if (query.readStatus && !query.readStatus.includes(readStatusOf(item))) return false;
    if (site !== undefined && !`.${siteOf(item)}`.endsWith(`.${site.toLowerCase().replace(/^www\./, "")}`))
      return false;
    if (query.host !== undefined && siteOf(item) !== query.host) return false;
    if (!allOf.every((meets) => meets(item)) || noneOf.some((meets) => meets(item))) return false;
    if (anyOf && !anyOf.some((meets) => meets(item))) return false;
    if (found) return found.has(item.itemId);
    if (search === "") return true;
    const text = `${item.title} ${item.url} ${item.tags}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
}

/** The time of the last change of anything but the progress. */
export const timeOfContent = ({
  timeOfContent: time,
  timeUpdated,
}: Pick<Item, "timeOfContent" | "timeUpdated">): number => time ?? timeUpdated;

const keys: Record<ListQuery["sort"]["by"], (item: Item) => string | number> = {
  added: ({ timeAdded }) => timeAdded,
  changed: ({ changeKey }) => changeKey,
  content: (item) => changeKeyAt(timeOfContent(item), item.changeKey),
  title: ({ title }) => title.toLowerCase(),
  site: siteOf,
};

/** The items that match, in the order of a query; those with equal keys by their ids, so that the order is one. */
export async function sortItems(
  items: Iterable<Item>,
  { by, descending }: ListQuery["sort"],
  matches: (item: Item) => boolean = () => true,
): Promise<Item[]> {
  const sign = descending ? -1 : 1;
  const keyed: { item: Item; key: string | number }[] = [];
  for await (const part of inTurns(items)) {
    for (const item of part) if (matches(item)) keyed.push({ item, key: keys[by](item) });
  }
  const sorted = await sortInTurns(
    keyed,
    (a, b) => sign * (a.key < b.key ? -1 : a.key > b.key ? 1 : a.item.itemId < b.item.itemId ? -1 : 1),
  );
  return sorted.map(({ item }) => item);
}
