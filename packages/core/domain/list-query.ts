// SPDX-License-Identifier: MIT

import type { Condition } from "./condition.ts";
import { fold } from "./fold.ts";
import { toSite } from "./hosts.ts";
import { changeKeyAt, type Item, type ItemState } from "./item.ts";
import { toItemMatcher } from "./list-filter.ts";
import { parseSearch } from "./search-query.ts";
import { foldTerm, hasTerms } from "./search-terms.ts";
import { inTurns, sortInTurns } from "./turns.ts";

export type ReadStatus = "unread" | "reading" | "read";

const toReadStatus = ({ progress }: Item): ReadStatus =>
  !progress?.percent ? "unread" : progress.percent < 100 ? "reading" : "read";

/** The part of a list that an app of another service asks for. All conditions apply together. */
export interface ListQuery {
  conditions?: readonly Condition[] | undefined;
  /** Only items with a `time_updated` above it: no others are read. */
  changedAfter?: number | undefined;
  /** Only items that have changed after it in more than their progress. */
  contentAfter?: number | undefined;
  /** A search of the text (`ListSearch`); without an index, of title, URL and tags. */
  search?: string | undefined;
  /** Whether it has highlights. */
  isHighlighted?: boolean | undefined;
  /** How far it was read: not at all, in part, or to the end. */
  readStatus?: readonly ReadStatus[] | undefined;
  /** `content`: by the last change, ignoring changes of only the progress. */
  sort: { by: "added" | "changed" | "content" | "title" | "site"; descending: boolean };
  offset: number;
  limit: number;
}

/** Filters as in the APIs of other services; undefined ones do not apply. */
export interface Filters {
  state?: ItemState | undefined;
  isStarred?: boolean | undefined;
  /** Tags that an item must all have. */
  tags?: readonly string[] | undefined;
  /** Whether it has labels. */
  hasLabels?: boolean | undefined;
  /** The host of the page, or a domain above it. */
  site?: string | undefined;
  /** Bounds of `timeAdded`, in unix seconds. */
  addedFrom?: number | undefined;
  addedTo?: number | undefined;
  itemIds?: readonly string[] | undefined;
}

const isOrNot = (is: boolean, condition: Condition): Condition => (is ? condition : { kind: "not", condition });

/** The conditions of filters. */
export function toConditions({ state, isStarred, tags = [], hasLabels, site, ...filters }: Filters): Condition[] {
  const { addedFrom: from, addedTo: to, itemIds: ids } = filters;
  const conditions: (Condition | undefined)[] = [
    state && { kind: "state", state },
    isStarred === undefined ? undefined : isOrNot(isStarred, { kind: "starred" }),
    ...tags.map((tag) => ({ kind: "tag", tag }) as const),
    hasLabels === undefined ? undefined : isOrNot(!hasLabels, { kind: "untagged" }),
    site === undefined ? undefined : { kind: "site", site },
    from === undefined && to === undefined ? undefined : { kind: "added", from: from ?? 0, to: to ?? lastSecond },
    ids && { kind: "ids", ids },
  ];
  return conditions.filter((each) => each !== undefined);
}

const lastSecond = Number.MAX_SAFE_INTEGER;

/**
 * A test of whether an item that was read meets all conditions of a query. `highlighted`: the ids of items with
 * highlights; `found`: the items that its search has found.
 */
export function toQueryMatcher(
  query: Omit<ListQuery, "sort" | "offset" | "limit">,
  highlighted?: ReadonlySet<string>,
  found?: ReadonlySet<string>,
): (item: Item) => boolean {
  const { conditions = [], contentAfter = -1, readStatus, isHighlighted } = query;
  const searched = found ? undefined : parseSearch(query.search ?? "");
  const matches = toItemMatcher([...conditions, ...(searched?.conditions ?? [])]);
  const words = searched?.terms.map(foldTerm) ?? [];
  return (item) => {
    if (findContentTime(item) <= contentAfter || !matches(item)) return false;
    if (highlighted && highlighted.has(item.itemId) !== isHighlighted) return false;
    if (readStatus && !readStatus.includes(toReadStatus(item))) return false;
    if (found) return found.has(item.itemId);
    return words.length === 0 || hasTerms([fold(`${item.title}\n${item.url}\n${item.tags}`)], words);
  };
}

/** The time of the last change of anything but the progress. */
export const findContentTime = ({
  timeOfContent: time,
  timeUpdated,
}: Pick<Item, "timeOfContent" | "timeUpdated">): number => time ?? timeUpdated;

const keys: Record<ListQuery["sort"]["by"], (item: Item) => string | number> = {
  added: ({ timeAdded }) => timeAdded,
  changed: ({ changeKey }) => changeKey,
  content: (item) => changeKeyAt(findContentTime(item), item.changeKey),
  title: ({ title }) => title.toLowerCase(),
  site: toSite,
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
