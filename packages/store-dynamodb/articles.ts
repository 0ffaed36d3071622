// SPDX-License-Identifier: MIT

import { TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { type ArticleSummary, summarise } from "@reading-list/core/domain/article-summary.ts";
import { decodeArticle, encodeArticle, type KeptArticle } from "@reading-list/core/domain/kept-article.ts";
import { afterKeeping } from "@reading-list/core/domain/kept-page.ts";
import { wrongCredentials } from "@reading-list/core/errors.ts";
import type { ArticleOwner, ArticleStore } from "@reading-list/core/ports/articles.ts";
import type { IndexObjects } from "@reading-list/core/ports/search.ts";
import { chunks, readBatch, walkPartition } from "./batches.ts";
import type { Table } from "./client.ts";
import { deleteRecords } from "./deletion.ts";
import { pageOfRecord, writesOfPages } from "./kept-pages.ts";
import {
  articleFolder,
  articleKey,
  articleObject,
  articlePrefix,
  itemIdOfArticleKey,
  keptPageKey,
  userKey,
} from "./keys.ts";
import type { ObjectStore } from "./objects.ts";
import { isFirstConditionFailed, isOtherConditionFailed, retryConflicts } from "./optimistic-locking.ts";
import { createPictureStore } from "./pictures.ts";
import { parseUser, readUserRecord } from "./users.ts";

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
  const { client, tableName: TableName } = table;
  const pictures = createPictureStore(table, objects);

  /** Changes the user's counts, on the condition that the user is the owner, has room, and is not being deleted. */
  const countFor = (
    { username, userId }: ArticleOwner,
    articles: number,
    bytes: number,
    room?: number,
    pages?: ReturnType<typeof writesOfPages>["user"],
  ) => ({
    Update: {
      TableName,
      Key: userKey(username),
      UpdateExpression: `${pages?.sets.length ? `SET ${pages.sets.join(", ")} ` : ""}ADD ${["articles :articles", "articleBytes :bytes", ...(pages?.adds ?? [])].join(", ")}`,
      ConditionExpression: `userId = :userId AND attribute_not_exists(deletingSince)${
        room === undefined ? "" : " AND (attribute_not_exists(articleBytes) OR articleBytes <= :room)"
      }${pages ? ` AND ${pages.condition}` : ""}`,
      ExpressionAttributeValues: {
        ":userId": userId,
        ":articles": articles,
        ":bytes": bytes,
        ...(room !== undefined && { ":room": room }),
        ...pages?.values,
      },
    },
  });
  /** The condition that an article still has the size that was read. */
  const ifSize = (bytes: number | undefined) =>
    bytes === undefined
      ? { ConditionExpression: "attribute_not_exists(pk)" }
      : { ConditionExpression: "bytes = :before", ExpressionAttributeValues: { ":before": bytes } };

  /** One transaction of the size, the counts and the page; undefined if one of them has changed meanwhile. */
  async function keepSize(
    owner: ArticleOwner,
    itemId: string,
    { article, summary, bytes }: { article: KeptArticle; summary: ArticleSummary; bytes: number },
    quota: number,
  ): Promise<number | undefined> {
    const keys = [articleKey, keptPageKey].map((keyOf) => keyOf(owner.username, itemId));
    const [user, records] = await Promise.all([readUserRecord(table, owner.username), readBatch(table, keys)]);
    const [record, known] = keys.map(({ sk }) => records.find((one) => one.sk === sk));
    if (user?.userId !== owner.userId || user.deletingSince !== undefined) throw wrongCredentials();
    const before = record && Number(record.bytes);
    const growth = bytes - (before ?? 0);
    const lacking = Number(user.articleBytes ?? 0) + growth - quota;
    if (growth > 0 && lacking > 0) return lacking;
    const page = pageOfRecord(owner, known);
    const after = afterKeeping(page, itemId, article, summary, 0);
    const writes = writesOfPages(table, owner, parseUser(user), [{ before: page, after }], article.keptAt);
    const room = growth > 0 ? quota - growth : undefined;
    const count = countFor(owner, before === undefined ? 1 : 0, growth, room, writes.user);
    const put = { Put: { TableName, Item: { ...articleKey(owner.username, itemId), bytes }, ...ifSize(before) } };
    return client.send(new TransactWriteCommand({ TransactItems: [count, put, ...writes.pages] })).then(
      () => 0,
      (error) => {
        if (isFirstConditionFailed(error) || isOtherConditionFailed(error)) return undefined;
        throw error;
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
      const kept = { article, summary: summarise(article), bytes: content.length };
      const lacking = await retryConflicts(() => keepSize(owner, itemId, kept, quota));
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

    async allSizes({ username }) {
      const sizes = new Map<string, number>();
      for await (const records of walkPartition(table, userKey(username).pk, articlePrefix))
        for (const { sk, bytes } of records) sizes.set(itemIdOfArticleKey(sk), Number(bytes));
      return sizes;
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
          const itemId = itemIdOfArticleKey(sk);
          const content = await objects.get(articleObject(userId, itemId));
          const article = content && (await decodeArticle(content));
          if (article) yield { itemId, article };
        }
      }
    },
  };
}
