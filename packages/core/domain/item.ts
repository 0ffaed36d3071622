// SPDX-License-Identifier: MIT

/** Unread and read, as the API writes them. */
export type ItemState = "0" | "1";

/** States by their names in parameters. */
export const states = { unread: "0", read: "1" } as const satisfies Record<string, ItemState>;

/** How far the text of a page was read. */
export interface Progress {
  /** The share of the text, 0 to 100. */
  percent: number;
  /** Quotes the place; empty if unknown. */
  anchor: string;
  /** The place as an app for Readeck has named it; no other API shows it. */
  selector?: string | undefined;
  /** Unix seconds at which the place was reached. */
  time: number;
}

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
  progress?: Progress | undefined;
  /**
   * `Item.timeAdded` of the deleted item whose place this one took while that was in the trash: its article and progress
   * belong to this one.
   */
  continues?: number | undefined;
  /** Whether it has, or had, highlights: clients learn of those when the item is deleted or restored. */
  hasHighlights?: boolean | undefined;
  /** Unix seconds at which it came back from the trash with highlights. */
  highlightsToldAt?: number | undefined;
  /** True for a tombstone: the item was deleted, and syncing clients do not have the deletion yet. */
  isDeleted: boolean;
  /** State that `restore` gives back; only a tombstone in the trash has it (`isInTrash`). */
  trashedState?: ItemState | undefined;
}

/** One saved URL in a user's list. Times are unix seconds of the user's logical clock. */
export interface Item extends ItemContent {
  timeAdded: number;
  timeUpdated: number;
  /** `timeUpdated` before a change of only the progress; undefined if the last change was of another kind. */
  timeOfContent?: number | undefined;
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
  /** Times of a new item that was added, or imported, with its own. */
  original?: OriginalTimes;
  /** A deleted item comes back unchanged: the tombstone has its content, not the content of an earlier item. */
  isRestored?: boolean;
  /** Nothing but the progress changes. */
  isProgressAlone?: boolean;
}

/** When a page was added to, and changed in, another list; undefined if unknown. */
export interface OriginalTimes {
  timeAdded: number | undefined;
  timeUpdated: number | undefined;
}

/** Items, some at a time. A long list is read part by part, so that memory holds only one part. */
export type ItemParts = AsyncIterable<readonly Item[]> | Iterable<readonly Item[]>;

/** All items of a list that is read in parts. */
export async function itemsIn(parts: ItemParts): Promise<Item[]> {
  const items: Item[] = [];
  for await (const part of parts) for (const item of part) items.push(item);
  return items;
}

/** The count of its list to which an item belongs. */
export type ItemKind = "unread" | "read" | "deleted";

export const itemKind = ({ isDeleted, state }: Pick<Item, "isDeleted" | "state">): ItemKind =>
  isDeleted ? "deleted" : state === "0" ? "unread" : "read";

/** `Item.changeKey`: `time_updated`, the list's revision, and the position in the batch, padded so that they sort as text. */
export const toChangeKey = (timeUpdated: number, revision: number, position: number): string =>
  `${String(Math.min(timeUpdated, 9_999_999_999)).padStart(10, "0")}#${String(revision).padStart(10, "0")}#${String(position).padStart(2, "0")}`;

/** The time of a change, in unix seconds. */
export const parseChangeTime = (key: string): number => Number(key.slice(0, 10));

/** Whether a stored item is still as it was seen: a purge of the trash, and the first highlight, keep the change key. */
export const isAsSeen = (stored: Item | undefined, seen: Item | undefined): boolean =>
  stored?.changeKey === seen?.changeKey &&
  (seen?.trashedState === undefined || stored?.trashedState !== undefined) &&
  (seen?.hasHighlights || !stored?.hasHighlights);

/** A change key with another `time_updated`, which its first ten digits are; the order of writes stays. */
export const changeKeyAt = (timeUpdated: number, changeKey: string): string =>
  String(timeUpdated).padStart(10, "0") + changeKey.slice(10);

/** The order of a list: newest change first. */
export const newestFirst = (a: Item, b: Item): number => (a.changeKey > b.changeKey ? -1 : 1);

/**
 * An item of a listing as of a second. If the item was changed or added later, it gets that time, and the next sync
 * shows it again. `asOf` is 0 if a sync cannot continue from the listing.
 */
export const shownAsOf = (item: Item, asOf: number): Item =>
  asOf > 0 && item.timeUpdated > asOf
    ? { ...item, timeUpdated: asOf, timeAdded: Math.min(item.timeAdded, asOf) }
    : item;

/**
 * The new content of a page that was deleted, perhaps by or for other applications. Article, progress and highlights that
 * are in the trash pass to it.
 */
export function addedAgain(tombstone: Item, after: ItemContent, now: number): ItemContent {
  const former = { ...tombstone.formerApplications, [tombstone.applicationId]: tombstone.timeUpdated };
  const { [after.applicationId]: _, ...formerApplications } = former;
  const { number, progress, hasHighlights } = tombstone;
  const kept = isInTrash(tombstone, now) && {
    continues: findBelongingsTime(tombstone),
    progress: after.progress ?? progress,
  };
  return { ...after, formerApplications, number, hasHighlights, ...kept };
}

/** The time that an article has as `KeptArticle.timeAdded` if it belongs to an item. */
export const findBelongingsTime = ({ continues, timeAdded }: Pick<Item, "continues" | "timeAdded">): number =>
  continues ?? timeAdded;

/** Seconds for which a deleted item can be restored (docs/api.md 4.13). */
export const trashKeptSeconds = 30 * 86_400;

/** Whether a deleted item can be restored: it was deleted less than 30 days ago, and not purged. */
export const isInTrash = ({ trashedState, timeUpdated }: Item, now: number): boolean =>
  trashedState !== undefined && timeUpdated > now - trashKeptSeconds;

/** A deleted item without its content, for clients that do not have the deletion yet. */
export const erased = (item: Item): Item => ({
  ...item,
  title: item.url,
  tags: "",
  refId: undefined,
  progress: undefined,
  continues: undefined,
  timeOfContent: undefined,
  trashedState: undefined,
  highlightsToldAt: undefined,
});
