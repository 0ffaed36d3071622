/** Unread and read, as they travel (spec section 2.3). */
export type ItemState = "0" | "1";

/** What a user can change of a saved page. */
export interface ItemContent {
  itemId: string;
  /** The URL as the client first sent it. */
  url: string;
  title: string;
  /** Normalised comma-separated list, see `normaliseTags`. */
  tags: string;
  state: ItemState;
  /** The application that first saved the page (`myAppOnly`). */
  applicationId: string;
  refId: string | undefined;
}

/** One saved URL in a user's list (spec section 2.3). Times are unix seconds of the user's clock. */
export interface Item extends ItemContent {
  timeAdded: number;
  timeUpdated: number;
  /** Raised with each write of the item, so that a writer can tell whether what it read still stands. */
  revision: number;
}

/** An item to be written: what was read of it, and what it shall become. The store assigns the times. */
export interface ItemWrite {
  before: Item | undefined;
  after: ItemContent;
}

/** The order of a list: newest change first, and one fixed order within a second. */
export function newestFirst(a: Item, b: Item): number {
  return b.timeUpdated - a.timeUpdated || (BigInt(a.itemId) > BigInt(b.itemId) ? -1 : 1);
}
