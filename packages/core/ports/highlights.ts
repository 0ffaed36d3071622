// SPDX-License-Identifier: MIT

import type { BatchStep } from "../domain/batch-progress.ts";
import type { Highlight, HighlightWrite } from "../domain/highlights.ts";
import type { Item } from "../domain/item.ts";
import type { WritableList, WriteOutcome } from "./items.ts";
import type { ClosedUser, User } from "./users.ts";

/** Changes of highlights between two seconds: after `after`, up to `upTo`. */
export interface HighlightSpan {
  after?: number | undefined;
  upTo?: number | undefined;
  /** Highlights that are read at once, if the first ones are enough. */
  atOnce?: number | undefined;
  /** Highlights that there are, or tombstones. */
  kind: "live" | "deleted";
}

/** The highlights of users (docs/api.md 4.14). Highlights of items in the trash do not change. */
export interface HighlightStore {
  /** The stored highlights of these ids, tombstones included. */
  find(user: ClosedUser, ids: readonly string[]): Promise<Map<string, Highlight>>;
  /** The numbers of highlights of items. */
  count(user: ClosedUser, itemIds: readonly string[]): Promise<Map<string, number>>;
  /** Changes of a user's highlights, newest first, some at a time. */
  walk(user: ClosedUser, span: HighlightSpan): AsyncIterable<Highlight[]>;
  /** The highlights of one item in the order of their ids, some at a time. */
  walkItem(user: ClosedUser, itemId: string): AsyncIterable<Highlight[]>;
  /**
   * Items with highlights that came back to the list (`restored`), or were deleted, after a second and up to another one,
   * some at a time. A store may return others, too.
   */
  walkItems(user: User, kind: "restored" | "deleted", span: { after: number; upTo: number }): AsyncIterable<Item[]>;
  /**
   * The newest second up to which all changes of highlights and items are visible to later reads. `beginsWalk`: the answer
   * is the first of several pages, whose later ones continue from there.
   */
  visibleUpTo(user: User, beginsWalk: boolean): Promise<number>;
  /** The user's record as it is now. Throws `unauthorized` if the user was deleted, or is being deleted or moved here. */
  current(user: ClosedUser): Promise<User>;
  /**
   * Gives numbers to highlights, as `ItemStore.assignNumbers` to items; highlights and items never share a number.
   * Returns the numbers of all existing highlights, by id.
   */
  assignNumbers(user: ClosedUser, ids: readonly string[]): Promise<Map<string, number>>;
  /** The highlight that has a number, which may be a tombstone. */
  findByNumber(user: ClosedUser, number: number): Promise<Highlight | undefined>;
  /**
   * Writes up to `writesAtOnce` highlights, the counts, the user's clock and the progress of a batch, all or nothing.
   * `stale`: something of the user has changed since `list` was read, and nothing was written. Throws `unavailable` if the
   * call's deadline passes, `unauthorized` if the user was deleted.
   */
  write(list: WritableList, writes: readonly HighlightWrite[], now: number, step?: BatchStep): Promise<WriteOutcome>;
}
