// SPDX-License-Identifier: MIT

import { summarise } from "@reading-list/core/domain/article-summary.ts";
import { decodeArticle, encodeArticle } from "@reading-list/core/domain/kept-article.ts";
import { splitList } from "@reading-list/core/domain/split-list.ts";
import type { ArticleStore } from "@reading-list/core/ports/articles.ts";
import type { IndexObjects } from "@reading-list/core/ports/search.ts";
import { ArticleSizes } from "./article-sizes.ts";
import { readBatch, walkPartition } from "./batches.ts";
import type { ObjectStore } from "./bucket.ts";
import type { Table } from "./client.ts";
import { deleteRecords } from "./deletion.ts";
import { articleFolder, articleKey, articleObject, articlePrefix, parseArticleKey, userKey } from "./keys.ts";
import { isFirstConditionFailed, isOtherConditionFailed, retryConflicts } from "./optimistic-locking.ts";
import { createPictureStore } from "./pictures.ts";

/** Articles whose sizes one transaction removes, beside the user's record. */
const articlesAtOnce = 99;

/**
 * The kept articles: their texts are objects, their sizes records, which are written together with the user's counts.
 * A text is written after its size, so that a failed `keep` counts bytes too many until it is repeated, never too few.
 * `indexes`: the search indexes, which have the words of the articles, and go with them.
 */
export function createArticleStore(
  table: Table,
  objects: ObjectStore,
  indexes?: Pick<IndexObjects, "close">,
): ArticleStore {
  const articleSizes = new ArticleSizes(table);
  const pictures = createPictureStore(table, objects);

  return {
    async find({ userId }, itemId, budget) {
      const content = await objects.get(articleObject(userId, itemId));
      return content && decodeArticle(content, budget);
    },

    async keep(owner, itemId, article, quota) {
      const content = await encodeArticle(article);
      const kept = { article, summary: summarise(article), bytes: content.length };
      const lacking = await retryConflicts(() => articleSizes.keep(owner, itemId, kept, quota));
      if (lacking === 0) await objects.put(articleObject(owner.userId, itemId), content);
      return lacking;
    },

    async sizes({ username }, itemIds) {
      const records = await readBatch(
        table,
        itemIds.map((itemId) => articleKey(username, itemId)),
      );
      const found = new Map(records.map(({ sk, bytes }) => [parseArticleKey(sk), Number(bytes)]));
      return new Map(itemIds.flatMap((itemId) => (found.has(itemId) ? [[itemId, found.get(itemId) ?? 0]] : [])));
    },

    async allSizes({ username }) {
      const sizes = new Map<string, number>();
      for await (const records of walkPartition(table, userKey(username).pk, articlePrefix))
        for (const { sk, bytes } of records) sizes.set(parseArticleKey(sk), Number(bytes));
      return sizes;
    },

    async delete(owner, itemIds) {
      for (const ids of splitList(itemIds, articlesAtOnce)) {
        const keys = ids.map((itemId) => articleKey(owner.username, itemId));
        await retryConflicts(async () => {
          const records = await readBatch(table, keys);
          if (records.length === 0) return true;
          await objects.delete(records.map(({ sk }) => articleObject(owner.userId, parseArticleKey(sk))));
          return articleSizes.delete(owner, records).then(
            () => true,
            (error) => {
              if (isOtherConditionFailed(error)) return undefined;
              // The user was deleted, or is being deleted, with all articles.
              if (isFirstConditionFailed(error)) return true;
              throw error;
            },
          );
        });
        await pictures.delete(owner, ids);
      }
    },

    async deleteAll(owner) {
      await indexes?.close(owner.userId);
      await objects.deleteAll(articleFolder(owner.userId));
      await pictures.deleteAll(owner);
      for await (const _ of deleteRecords(table, owner, articlePrefix));
    },

    async *walk({ username, userId }) {
      for await (const records of walkPartition(table, userKey(username).pk, articlePrefix)) {
        for (const { sk } of records) {
          const itemId = parseArticleKey(sk);
          const content = await objects.get(articleObject(userId, itemId));
          const article = content && (await decodeArticle(content));
          if (article) yield { itemId, article };
        }
      }
    },
  };
}
