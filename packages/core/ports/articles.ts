// SPDX-License-Identifier: MIT

import type { ByteBudget, KeptArticle } from "../domain/kept-article.ts";
import type { User } from "./users.ts";

/** Articles that users keep, by the ids of user and item, so that a later user of the same name never reads them. */
export interface ArticleStore {
  /** Undefined, too, if the article has more decompressed bytes than it may have, or than the budget allows. */
  find(owner: ArticleOwner, itemId: string, budget?: ByteBudget): Promise<KeptArticle | undefined>;
  /**
   * Saves an article, replaces an earlier one, counts it, and writes its `KeptPage`. Returns the bytes that the user's
   * articles would have above `quota`: if they are not 0, nothing was changed. Throws `unauthorized` if the user was
   * deleted.
   */
  keep(owner: ArticleOwner, itemId: string, article: KeptArticle, quota: number): Promise<number>;
  /** The bytes, as stored, of the articles that there are of items, in the order of the ids. */
  sizes(owner: ArticleOwner, itemIds: readonly string[]): Promise<Map<string, number>>;
  /** The bytes, as stored, of all articles of a user, also of those in the trash. */
  allSizes(owner: ArticleOwner): Promise<Map<string, number>>;
  /** Deletes the articles of items; idempotent. */
  delete(owner: ArticleOwner, itemIds: readonly string[]): Promise<void>;
  /** Deletes all articles of a user whose deletion was begun, and a stored search index; idempotent. */
  deleteAll(owner: ArticleOwner): Promise<void>;
  /** All articles of a user, in no order. */
  walk(owner: ArticleOwner): AsyncIterable<{ itemId: string; article: KeptArticle }>;
}

export type ArticleOwner = Pick<User, "username" | "userId">;
