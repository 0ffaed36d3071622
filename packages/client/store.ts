// SPDX-License-Identifier: MIT

import type { Change } from "./change.ts";
import type { Highlight, HighlightChange } from "./highlight.ts";
import type { Item } from "./item.ts";

/** An item as the service has it. */
export interface StoredItem extends Item {
  /** Place among the items with the same `timeUpdated`; smaller is newer. */
  rank: number;
  /** Its place in the order of adding, which later changes do not move; larger is newer. */
  orderAdded?: number | undefined;
  /** Its place in the order of archiving, if it is archived; larger is newer. */
  orderRead?: number | undefined;
}

/** A local change that waits to be sent, or was sent and is not in the replica yet. */
export interface Queued<C> {
  /** Ascending, and never used twice in a store. */
  id: number;
  queuedAt: Date;
  change: C;
}
export type QueuedChange = Queued<Change>;

/** The fetching of a whole list by pages. */
export interface Walk {
  /** Items on a page. */
  count: number;
  /** The page to fetch next. */
  page: number;
  /** All pages were fetched, but an item may have been skipped: the counts are not compared yet. */
  isOver: boolean;
}

/** How far a replica is synced. */
export interface SyncState {
  /** Unix time of the service from which to continue; absent if the next sync replaces the replica. */
  since?: number | undefined;
  /** Id of the last queued change that the service has acknowledged. */
  sent: number;
  walk?: Walk | undefined;
}

/** How far a replica of highlights is synced. */
export interface HighlightState {
  /** Unix time of the service from which to continue; absent if the next sync replaces the replica. */
  since?: number | undefined;
  /** Id of the last queued change that was sent. */
  sent: number;
  /** Ids of sent changes that the service has refused; ascending. They stay in the queue until `retryRefused`. */
  refused?: readonly number[] | undefined;
}

/** A step of a sync. */
export interface Step<Stored, State> {
  state: State;
  put?: readonly Stored[];
  /** Ids of records to remove. */
  remove?: readonly string[];
  /** Ids of queued changes to remove. */
  dequeue?: readonly number[];
}
export type Commit = Step<StoredItem, SyncState>;

/**
 * Keeps the replica of one user's records and the local changes. One `sync` at a time may use a store; `enqueue`, and
 * functions that read, may be called at any time.
 */
export interface Replica<Stored, C, State> {
  state(): Promise<State>;
  /** Queued changes, oldest first. */
  queue(): Promise<Queued<C>[]>;
  /** Appends local changes; the next `sync` sends them. */
  enqueue(changes: readonly C[]): Promise<void>;
  /** Stores all parts of a step or, after a failure or crash, none. */
  commit(step: Step<Stored, State>): Promise<void>;
}

/** Keeps the replica of one user's list. */
export interface Store extends Replica<StoredItem, Change, SyncState> {
  /** All items in any order, or the stored items with these ids. */
  items(ids?: readonly string[]): Promise<StoredItem[]>;
}

/** Keeps the replica of one user's highlights. */
export interface HighlightStore extends Replica<Highlight, HighlightChange, HighlightState> {
  /** All highlights in any order. */
  highlights(): Promise<Highlight[]>;
}
