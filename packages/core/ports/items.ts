// SPDX-License-Identifier: MIT

import type { BatchStep } from "../domain/batch-progress.ts";
import type { Item, ItemParts, ItemWrite } from "../domain/item.ts";
import type { ListRange } from "../domain/list-range.ts";
import type { ListSnapshot } from "../domain/list-snapshot.ts";
import type { ListState } from "../domain/list-write.ts";
import type { ClosedUser, User } from "./users.ts";

/** A part of a list as of one second. A store leaves out changes that are not wholly visible yet, and never waits. */
export interface Listing {
  /** Newest change first; some may have been changed after `asOf` (see `shownAsOf`). Can be read once. */
  items: ItemParts;
  /** The number of items; of a long listing the expected one. */
  size: number;
  /** The newest `time_updated`; 0 if there is no item, or if it is unknown. */
  newest: number;
  /** Tombstones of items deleted after `range.after`; none of them is in `items`. Can be read once. */
  deleted: ItemParts;
  /** Items that the database has looked at until now. */
  read: number;
  /**
   * The `since` to continue from: every change up to this second is in the listing, or has been followed by a change of
   * the same item after it; every later change has a greater time.
   */
  asOf: number;
  /** The user's record: of the call, or of a later page, read after the items. */
  user: User;
}

/** A part of a user's trash, by the times of deletion. */
export interface TrashSpan {
  order: "newestFirst" | "oldestFirst";
  /** Only items that were deleted after it. */
  after?: number;
  /** Only items that were deleted up to it. */
  upTo?: number;
}

/** A user whose trash may have items to erase. */
export interface DueTrash {
  user: ClosedUser;
  /** None of them is left. */
  settle: () => Promise<void>;
}

/** The trash: deleted items that have their content yet (docs/api.md 4.13). */
export interface TrashStore {
  /** Items of a user's trash, some at a time. */
  walk(user: ClosedUser, span: TrashSpan): AsyncIterable<Item[]>;
  /**
   * Erases the content of items for good, except items that are no longer in the trash as they were read. Throws
   * `unauthorized` if the user was deleted, or is being deleted or moved here.
   */
  erase(user: ClosedUser, items: readonly Item[]): Promise<void>;
  /** The users whose trash may still contain items that were deleted up to a time. */
  due(upTo: number): AsyncIterable<DueTrash>;
}

/** The state of a list that a write depends on. */
export type WritableList = Pick<User, "username" | "userId"> & ListState;

/** `stale`: an item has changed since it was read, and nothing was written. `list`: state for the next write. */
export interface WriteOutcome {
  kind: "written" | "stale";
  list: WritableList;
}

export interface ItemStore {
  /** The stored items of these ids, tombstones included. */
  find(username: string, itemIds: readonly string[]): Promise<Map<string, Item>>;
  /**
   * Reads a part of a list whose `clock.lastSince` was raised by `countCall`. A list without `limit` and `after`
   * contains every item that was in it before, also while others write. Throws `unauthorized` if the user was deleted.
   */
  list(user: User, range: ListRange): Promise<Listing>;
  /**
   * Gives a number to each of these items that has none, for clients that need small ids (docs/data.md 1.5), and returns
   * the numbers of all that there are, by item id. A number is an integer from 1, below 2^31, unique in the list, never
   * changed and never given again. Throws `unauthorized` if the user was deleted.
   */
  assignNumbers(user: Pick<User, "username" | "userId">, itemIds: readonly string[]): Promise<Map<string, number>>;
  /** The item that has a number, which may be a tombstone. */
  findByNumber(username: string, number: number): Promise<Item | undefined>;
  /**
   * Writes up to `writesAtOnce` items, the counts, the user's clock and the progress of a batch (`afterStep`), all or
   * nothing. Imported items have their original times in a list that was never synced (docs/data.md 4.1). Throws
   * `unavailable` if the call's deadline passes, `unauthorized` if the user was deleted.
   */
  write(list: WritableList, writes: readonly ItemWrite[], now: number, step?: BatchStep): Promise<WriteOutcome>;
}

/** Tombstones are kept for 90 days. A client that syncs less often gets the whole list. */
export const deletionsKeptSeconds = 90 * 86_400;

/** Items that one transaction can write in addition to the user's record. */
export const writesAtOnce = 99;

/** A list as of a second (see `Listing.asOf`), by item id. */
export interface WholeList {
  items: ReadonlyMap<string, Item>;
  asOf: number;
  revision: number;
}

/** Whole lists of users whose clock was raised by `countCall`, for orders and conditions that no index has. */
export interface WholeListReader {
  read(user: User): Promise<WholeList>;
  /** The items that were changed, and the items that were deleted, after a second and up to `asOf`. */
  changes(user: User, after: number): Promise<{ changed: Item[]; deleted: Item[]; asOf: number }>;
}

/** The owner of a snapshot: a sign-in, or the account's password. */
export type SnapshotOwner = Pick<User, "username" | "userId"> & { signInId: string | undefined };

/** The snapshots of queries that apps page through (docs/data.md 5). */
export interface SnapshotStore {
  /** The snapshot of a name, with the ids of `limit` items from `offset`. It may have expired. */
  find(owner: SnapshotOwner, name: string, page: { offset: number; limit: number }): Promise<ListSnapshot | undefined>;
  /** Stores a snapshot, replaces the former snapshot of the same name, and deletes all but the owner's newest other snapshots. */
  begin(owner: SnapshotOwner, name: string, snapshot: ListSnapshot): Promise<void>;
}
