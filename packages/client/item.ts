// SPDX-License-Identifier: MIT

export type ItemState = "unread" | "read";

/** How far a page was read. */
export interface Progress {
  /** The share of the text, 0 to 100. */
  percent: number;
  /** Quotes the place, up to 500 characters; empty if unknown. */
  anchor: string;
}

/** A page in a list. */
export interface Item {
  /** Decimal integer below 2^53. It depends only on the URL. */
  itemId: string;
  url: string;
  title: string;
  tags: string[];
  state: ItemState;
  timeAdded: Date;
  /** When the item was last added or changed, by the user's clock on the service. */
  timeUpdated: Date;
  /** Absent if it is unknown. */
  progress?: Progress | undefined;
}

/** An item of the trash. */
export interface TrashedItem extends Item {
  timeDeleted: Date;
}

interface ItemFields {
  item_id: string;
  url: string;
  title: string;
  time_updated: string;
  time_added: string;
  tags?: string;
  state: string;
  progress?: string;
  anchor?: string;
  time_deleted?: string;
}

/** The answer of `get` as JSON with `tags=1` and `progress=1`, or of `trash`. */
export interface ListFields {
  status: string;
  since: string;
  complete?: string;
  highlights_updated?: string;
  list: Record<string, ItemFields>;
  deleted?: Record<string, string>;
}

/** A page that a search has found. */
export interface FoundItem extends Item {
  /** Plain text around the matches; may be empty. */
  snippet: string;
  /** Positions of the matches in `snippet`: start and length, in UTF-16 units. */
  marks: [from: number, length: number][];
}

export interface SearchResult {
  /** All changes of the list up to then were searched; 1970 while the service indexes the list for the first time. */
  asOf: Date;
  /** Pages may be missing, because the service is still indexing the list. */
  isPartial: boolean;
  /** Pages that were found, on all pages of the answer. */
  total: number;
  /** In order. */
  items: FoundItem[];
}

/** The answer of `search` as JSON. */
export interface SearchFields {
  as_of: string;
  partial?: "1";
  total: string;
  list: (ItemFields & Pick<FoundItem, "snippet" | "marks">)[];
}

export const parseSearchResult = ({ as_of, partial, total, list }: SearchFields): SearchResult => ({
  asOf: parseDate(as_of),
  isPartial: partial !== undefined,
  total: Number(total),
  items: list.map(({ snippet, marks, ...fields }) => ({ ...parseItem(fields), snippet, marks })),
});

export const parseDate = (unixSeconds: string) => new Date(1000 * Number(unixSeconds));

/** The items of a response, newest first. A parsed object has ids below 2^32 first, whatever their place in the text. */
export const parseItems = ({ list }: ListFields): Item[] => Object.values(list).map(parseItem).sort(newestFirst);

/** The place of an item in an order by time: whole seconds, and the rank among the items of the same second. */
export const placeInOrder = (time: Date, rank: number) => 1_000_000 * Math.floor(time.getTime() / 1000) - rank;

export const newestFirst = (a: Pick<Item, "timeUpdated">, b: Pick<Item, "timeUpdated">) =>
  b.timeUpdated.getTime() - a.timeUpdated.getTime();

export const parseTrash = ({ list }: ListFields): TrashedItem[] =>
  Object.values(list)
    .map((fields) => ({ ...parseItem(fields), timeDeleted: parseDate(fields.time_deleted ?? "") }))
    .sort(newestFirst);

const parseItem = ({ item_id, url, title, time_updated, time_added, tags, state, ...fields }: ItemFields): Item => ({
  itemId: item_id,
  url,
  title,
  tags: tags ? tags.split(",") : [],
  state: state === "1" ? "read" : "unread",
  timeAdded: parseDate(time_added),
  timeUpdated: parseDate(time_updated),
  ...(fields.progress !== undefined && {
    progress: { percent: Number(fields.progress), anchor: fields.anchor ?? "" },
  }),
});

/** Which items `get` returns; all if empty. */
export interface ListQuery {
  /** Only this page. */
  url?: string | undefined;
  state?: ItemState | undefined;
  /** Only items that were first saved through this API key. */
  myAppOnly?: boolean | undefined;
  /** Only changes since then: the `since` of an earlier response, never a time of your own clock. */
  since?: number | undefined;
  /** Items on a page. */
  count?: number | undefined;
  /** From 1; only with `count`. */
  page?: number | undefined;
}

export interface ItemList {
  /** Newest first. */
  items: Item[];
  /** Times of deletion by item id, if `since` was given. */
  deleted: Record<string, Date>;
  /** The `since` for the next call: Unix seconds of the service's clock. */
  since: number;
  /** `highlights` has changes while this is above its last `since`; absent on an older service. */
  highlightsUpdated?: number;
  /** `items` are the whole list. */
  isComplete: boolean;
  /** Nothing has changed after the `since` that was given. */
  isUnchanged: boolean;
}

/** The counts of a list. */
export interface Stats {
  userSince: Date;
  countList: number;
  countUnread: number;
  countRead: number;
  /** Only with `articles`; undefined on a service that keeps none. */
  articles?: KeptArticles | undefined;
}

/** The articles that the service keeps for the user. */
export interface KeptArticles {
  count: number;
  /** As stored. */
  bytes: number;
  /** Bytes that they may have. */
  quota: number;
}
