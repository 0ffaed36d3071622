/** Unread and read, as the API writes them. */
export type ItemState = "0" | "1";

/** What a change can alter of a saved page. */
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
  /** Of an imported item: its times elsewhere. */
  original?: OriginalTimes;
}

/** When a page was added to, and changed in, the list that it is imported from; undefined if nobody knows. */
export interface OriginalTimes {
  timeAdded: number | undefined;
  timeUpdated: number | undefined;
}

/** The order of a list: newest change first. */
export const newestFirst = (a: Item, b: Item): number => (a.changeKey > b.changeKey ? -1 : 1);
