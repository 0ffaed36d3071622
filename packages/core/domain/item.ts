/** Unread and read, as the API writes them. */
export type ItemState = "0" | "1";

/** The fields of a saved page that a change can alter. */
export interface ItemContent {
  itemId: string;
  /** The URL as the client first sent it. */
  url: string;
  title: string;
  /** Comma-separated, see `normaliseTags`. */
  tags: string;
  state: ItemState;
  /** The application that first saved the page, for `myAppOnly`. */
  applicationId: string;
  refId: string | undefined;
  /**
   * Applications that had first saved the page before another one added it again, and the time at which it was deleted:
   * for `myAppOnly`.
   */
  formerApplications?: Readonly<Record<string, number>> | undefined;
  /** See `ItemStore.assignNumbers`; undefined until it is given. */
  number?: number | undefined;
  /** True for a tombstone: the item was deleted, and clients that sync have yet to learn it. */
  isDeleted: boolean;
}

/** One saved URL in a user's list. Times are unix seconds of the user's logical clock. */
export interface Item extends ItemContent {
  timeAdded: number;
  timeUpdated: number;
  /**
   * Position in the list: newer changes compare greater. Each write of an item makes a new one, so it is also the
   * item's version for optimistic locking.
   */
  changeKey: string;
}

/** A write of an item: its content before and after. The store assigns the times. */
export interface ItemWrite {
  before: Item | undefined;
  after: ItemContent;
  /** Of a new item that was added, or imported, with times of its own. */
  original?: OriginalTimes;
}

/** When a page was added to, and changed in, another list; undefined if unknown. */
export interface OriginalTimes {
  timeAdded: number | undefined;
  timeUpdated: number | undefined;
}

/** Items, some at a time. A long list is read while its parts are, so that memory has a part of it alone. */
export type ItemParts = AsyncIterable<readonly Item[]> | Iterable<readonly Item[]>;

/** All items of a list that is read in parts. */
export async function itemsIn(parts: ItemParts): Promise<Item[]> {
  const items: Item[] = [];
  for await (const part of parts) for (const item of part) items.push(item);
  return items;
}

/** A change key with another `time_updated`, which its first ten digits are; the order of writes stays. */
export const changeKeyAt = (timeUpdated: number, changeKey: string): string =>
  String(timeUpdated).padStart(10, "0") + changeKey.slice(10);

/** The order of a list: newest change first. */
export const newestFirst = (a: Item, b: Item): number => (a.changeKey > b.changeKey ? -1 : 1);

/**
 * An item of a listing as of a second: one that was changed, or added, after it has that time, and is shown again by the
 * next sync. `asOf` is 0 if a sync cannot continue from the listing.
 */
export const shownAsOf = (item: Item, asOf: number): Item =>
  asOf > 0 && item.timeUpdated > asOf
    ? { ...item, timeUpdated: asOf, timeAdded: Math.min(item.timeAdded, asOf) }
    : item;

/** The new content of a page that was deleted, perhaps by or for other applications. */
export function addedAgain(tombstone: ItemContent & Pick<Item, "timeUpdated">, after: ItemContent): ItemContent {
  const former = { ...tombstone.formerApplications, [tombstone.applicationId]: tombstone.timeUpdated };
  const { [after.applicationId]: _, ...formerApplications } = former;
  return { ...after, formerApplications, number: tombstone.number };
}

/**
 * An item as a deletion after `after`; undefined if it was not deleted since then. For one application also an item that
 * another one has added again.
 */
export function deletionOf(item: Item, applicationId: string | undefined, after: number): Item | undefined {
  const isOwn = applicationId === undefined || item.applicationId === applicationId;
  const time = isOwn ? item.isDeleted && item.timeUpdated : item.formerApplications?.[applicationId];
  return time && time > after ? { ...item, timeUpdated: time, state: "1" } : undefined;
}

/** The part of a list that has the deletions as read items. `items` begin at the top of the list. */
export function mergeDeletions(
  items: readonly Item[],
  deletions: readonly Item[],
  skip: number,
  limit?: number,
): Item[] {
  const end = limit === undefined ? undefined : skip + limit;
  return [...items, ...deletions].sort(newestFirst).slice(skip, end);
}
