// SPDX-License-Identifier: MIT

import type { Item } from "../domain/item.ts";
import type { KeptPage, KeptPageChange, KeptState } from "../domain/kept-page.ts";
import type { ArticleOwner } from "./articles.ts";
import type { User } from "./users.ts";

/** The states of the texts of pages (docs/api.md 4.16). Records are derived from lists and articles. */
export interface KeptPageStore {
  find(owner: ArticleOwner, itemIds: readonly string[]): Promise<Map<string, KeptPage>>;
  /** Changes after a second and up to another one, newest first, some at a time. */
  walk(
    owner: ArticleOwner,
    span: { after?: number | undefined; upTo?: number | undefined; atOnce?: number | undefined },
  ): AsyncIterable<KeptPage[]>;
  counts(owner: ArticleOwner): Promise<Record<KeptState, number>>;
  /** See `HighlightStore.visibleUpTo` and `current`. */
  visibleUpTo(user: User, beginsWalk: boolean): Promise<number>;
  current(owner: ArticleOwner): Promise<User>;
  /** Writes records, except those that no longer match `before`. Writes nothing for a deleted user. */
  write(owner: ArticleOwner, changes: readonly KeptPageChange[], now: number): Promise<void>;
  /** Turns keeping in the background on or off. */
  setAuto(owner: ArticleOwner, auto: boolean): Promise<void>;
  /** The pages that have failed, some at a time. */
  walkFailed(owner: ArticleOwner): AsyncIterable<KeptPage[]>;
}

/** A user who may have pages with work. `hasChanged`: the list may have changed since it was noted. */
export type WaitingUser = User & { hasChanged?: boolean };

/**
 * The database of the keeper in the background. The keeper syncs like a client, so writes of a list do not depend on
 * it.
 */
export interface KeeperStore {
  /** The users whose lists may have changed since they were noted, except those of `usersWithWork` that are marked so. */
  changedUsers(): AsyncIterable<User>;
  /** Items and tombstones that have changed since they were noted, some at a time; perhaps others, too. */
  changes(user: User): AsyncIterable<Item[]>;
  /** All changes of a list are noted that it had when its user was read. */
  setNoted(user: User): Promise<void>;
  /**
   * Some of the users who have pages with work at `now`, longest waiting first, who follow the position `after`, except
   * those whose ids `isSkipped` accepts. `next`: the position after them; undefined at the end.
   */
  usersWithWork(
    now: number,
    after: string | undefined,
    isSkipped: (userId: string) => boolean,
  ): Promise<{ users: WaitingUser[]; next: string | undefined }>;
  /**
   * The page of a user whose work is due first, of none of these sites. `reads`: include pages to read, and not only
   * pages with a saved text to complete.
   */
  nextWork(
    owner: ArticleOwner,
    now: number,
    options: { busySites: readonly string[]; reads: "none" | "asked" | "all" },
  ): Promise<KeptPage | undefined>;
  /** Counts a page that was read for a user. */
  countReading(owner: ArticleOwner, now: number): Promise<void>;
}
