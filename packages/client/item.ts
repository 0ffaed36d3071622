export type ItemState = "unread" | "read";

/** A page in a list. */
export interface Item {
  /** Decimal integer below 2^53. It depends on the URL alone. */
  itemId: string;
  url: string;
  title: string;
  tags: string[];
  state: ItemState;
  timeAdded: Date;
  /** When the item was last added or changed, by the user's clock on the service. */
  timeUpdated: Date;
}

interface ItemFields {
  item_id: string;
  url: string;
  title: string;
  time_updated: string;
  time_added: string;
  tags?: string;
  state: string;
}

/** The answer of `get` as JSON with `tags=1`. */
export interface ListFields {
  status: string;
  since: string;
  complete?: string;
  list: Record<string, ItemFields>;
  deleted?: Record<string, string>;
}

export const dateOf = (unixSeconds: string) => new Date(1000 * Number(unixSeconds));

/** The items of a response, newest first. A parsed object has ids below 2^32 first, whatever their place in the text. */
export const itemsOf = ({ list }: ListFields): Item[] => Object.values(list).map(itemOf).sort(newestFirst);

/** The place of an item in an order by time: whole seconds, and the rank among the items of the same second. */
export const placeOf = (time: Date, rank: number) => 1_000_000 * Math.floor(time.getTime() / 1000) - rank;

export const newestFirst = (a: Item, b: Item) => b.timeUpdated.getTime() - a.timeUpdated.getTime();

const itemOf = ({ item_id, url, title, time_updated, time_added, tags, state }: ItemFields): Item => ({
  itemId: item_id,
  url,
  title,
  tags: tags ? tags.split(",") : [],
  state: state === "1" ? "read" : "unread",
  timeAdded: dateOf(time_added),
  timeUpdated: dateOf(time_updated),
});
