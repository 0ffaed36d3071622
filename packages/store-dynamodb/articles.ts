// SPDX-License-Identifier: MIT

import { TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { decodeArticle, encodeArticle } from "@reading-list/core/domain/kept-article.ts";
import { wrongCredentials } from "@reading-list/core/errors.ts";
import type { ArticleOwner, ArticleStore } from "@reading-list/core/ports.ts";
import { chunks, readBatch, walkPartition } from "./batches.ts";
import { readRecord, type Table } from "./client.ts";
import { deleteRecords } from "./deletion.ts";
import { articleFolder, articleKey, articleObject, articlePrefix, itemIdOfArticleKey, userKey } from "./keys.ts";
import type { ObjectStore } from "./objects.ts";
import { isFirstConditionFailed, isOtherConditionFailed, retryConflicts } from "./optimistic-locking.ts";
import { readUserRecord } from "./users.ts";

/** Articles whose sizes one transaction removes, beside the user's record. */
const articlesAtOnce = 99;

/**
 * The kept articles: their texts are objects, their sizes records, which are written together with the user's counts.
 * A text is written after its size, so that a failed `keep` counts bytes too many until it is repeated, never too few.
 */
export function createArticleStore(table: Table, objects: ObjectStore): ArticleStore {
  const { client, tableName: TableName } = table;

  /** Changes the user's counts, on the condition that the user is the owner, has room, and is not being deleted. */
  const countFor = ({ username, userId }: ArticleOwner, articles: number, bytes: number, room?: number) => ({
    Update: {
      TableName,
      Key: userKey(username),
      UpdateExpression: "ADD articles :articles, articleBytes :bytes",
      ConditionExpression: `userId = :userId AND attribute_not_exists(deletingSince)${
        room === undefined ? "" : " AND (attribute_not_exists(articleBytes) OR articleBytes <= :room)"
      }`,
      ExpressionAttributeValues: {
        ...{ ":userId": userId, ":articles": articles, ":bytes": bytes },
        ...(room !== undefined && { ":room": room }),
      },
    },
  });
  /** The condition that an article still has the size that was read. */
  const ifSize = (bytes: number | undefined) =>
    bytes === undefined
      ? { ConditionExpression: "attribute_not_exists(pk)" }
      : { ConditionExpression: "bytes = :before", ExpressionAttributeValues: { ":before": bytes } };

  async function keepSize(owner: ArticleOwner, itemId: string, bytes: number, quota: number): Promise<number> {
    const Key = articleKey(owner.username, itemId);
    const record = await readRecord(table, Key);
    const before = record && Number(record.bytes);
    const growth = bytes - (before ?? 0);
    const count = countFor(owner, before === undefined ? 1 : 0, growth, growth > 0 ? quota - growth : undefined);
    const put = { Put: { TableName, Item: { ...Key, bytes }, ...ifSize(before) } };
    return client.send(new TransactWriteCommand({ TransactItems: [count, put] })).then(
      () => 0,
      async (error) => {
        if (!isFirstConditionFailed(error)) throw error;
        const user = await readUserRecord(table, owner.username);
        if (user?.userId !== owner.userId || user.deletingSince !== undefined) throw wrongCredentials();
        // The counts may have changed since.
        return Math.max(1, Number(user.articleBytes ?? 0) + growth - quota);
      },
    );
  }

  async function deleteSizes(owner: ArticleOwner, records: readonly Record<string, unknown>[]): Promise<void> {
    const bytes = records.reduce((sum, record) => sum + Number(record.bytes), 0);
    const deletions = records.map((record) => ({
      Delete: { TableName, Key: { pk: record.pk, sk: record.sk }, ...ifSize(Number(record.bytes)) },
    }));
    const count = countFor(owner, -records.length, -bytes);
    await client.send(new TransactWriteCommand({ TransactItems: [count, ...deletions] }));
  }

  return {
    async find({ userId }, itemId, budget) {
      const content = await objects.get(articleObject(userId, itemId));
      return content && decodeArticle(content, budget);
    },

    async keep(owner, itemId, article, quota) {
      const content = await encodeArticle(article);
      const lacking = await retryConflicts(() =>
        keepSize(owner, itemId, content.length, quota).catch((error) => {
          if (isOtherConditionFailed(error)) return undefined;
          throw error;
        }),
      );
      if (lacking === 0) await objects.put(articleObject(owner.userId, itemId), content);
      return lacking;
    },

    async sizes({ username }, itemIds) {
      const records = await readBatch(
        table,
        itemIds.map((itemId) => articleKey(username, itemId)),
      );
      const found = new Map(records.map(({ sk, bytes }) => [itemIdOfArticleKey(sk), Number(bytes)]));
      return new Map(itemIds.flatMap((itemId) => (found.has(itemId) ? [[itemId, found.get(itemId) ?? 0]] : [])));
    },

    async delete(owner, itemIds) {
      for (const ids of chunks(itemIds, articlesAtOnce)) {
        const keys = ids.map((itemId) => articleKey(owner.username, itemId));
        await retryConflicts(async () => {
          const records = await readBatch(table, keys);
          if (records.length === 0) return true;
          await objects.delete(records.map(({ sk }) => articleObject(owner.userId, itemIdOfArticleKey(sk))));
          return deleteSizes(owner, records).then(
            () => true,
            (error) => {
              if (isOtherConditionFailed(error)) return undefined;
              // The user was deleted, or is being deleted, with all articles.
              if (isFirstConditionFailed(error)) return true;
              throw error;
            },
          );
        });
      }
    },

    async deleteAll(owner) {
      await objects.deleteAll(articleFolder(owner.userId));
      for await (const _ of deleteRecords(table, owner, articlePrefix));
    },

    async *walk({ username, userId }) {
      for await (const records of walkPartition(table, userKey(username).pk, articlePrefix)) {
        for (const { sk } of records) {
          const itemId = itemIdOfArticleKey(sk);
          const content = await objects.get(articleObject(userId, itemId));
          const article = content && (await decodeArticle(content));
          if (article) yield { itemId, article };
        }
      }
    },
  };
}
