// SPDX-License-Identifier: MIT

import { TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import type { ArticleSummary } from "@reading-list/core/domain/article-summary.ts";
import type { KeptArticle } from "@reading-list/core/domain/kept-article.ts";
import { afterKeeping } from "@reading-list/core/domain/kept-page.ts";
import { wrongCredentials } from "@reading-list/core/errors.ts";
import type { ArticleOwner } from "@reading-list/core/ports/articles.ts";
import { readBatch } from "./batches.ts";
import type { Table } from "./client.ts";
import { createPageWrites, parseOwnPage } from "./kept-pages.ts";
import { articleKey, keptPageKey, userKey } from "./keys.ts";
import { isFirstConditionFailed, isOtherConditionFailed } from "./optimistic-locking.ts";
import { parseUser, readUserRecord } from "./users.ts";

/** The records of the sizes of articles, which are written together with the user's counts. */
export class ArticleSizes {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  /**
   * One transaction of the size, the counts and the page. Returns the bytes for which there is no room, and undefined if
   * a record has changed meanwhile.
   */
  async keep(
    owner: ArticleOwner,
    itemId: string,
    { article, summary, bytes }: { article: KeptArticle; summary: ArticleSummary; bytes: number },
    quota: number,
  ): Promise<number | undefined> {
    const table = this.#table;
    const keys = [articleKey, keptPageKey].map((keyOf) => keyOf(owner.username, itemId));
    const [user, records] = await Promise.all([readUserRecord(table, owner.username), readBatch(table, keys)]);
    const [record, known] = keys.map(({ sk }) => records.find((one) => one.sk === sk));
    if (user?.userId !== owner.userId || user.deletingSince !== undefined) throw wrongCredentials();
    const before = record && Number(record.bytes);
    const growth = bytes - (before ?? 0);
    const lacking = Number(user.articleBytes ?? 0) + growth - quota;
    if (growth > 0 && lacking > 0) return lacking;
    const page = parseOwnPage(owner, known);
    const after = afterKeeping(page, itemId, article, summary, 0);
    const writes = createPageWrites(table, owner, parseUser(user), [{ before: page, after }], article.keptAt);
    const room = growth > 0 ? quota - growth : undefined;
    const count = this.#count(owner, { articles: before === undefined ? 1 : 0, bytes: growth }, room, writes.user);
    const Item = { ...articleKey(owner.username, itemId), bytes };
    const put = { Put: { TableName: table.tableName, Item, ...ifSize(before) } };
    return table.client.send(new TransactWriteCommand({ TransactItems: [count, put, ...writes.pages] })).then(
      () => 0,
      (error) => {
        if (isFirstConditionFailed(error) || isOtherConditionFailed(error)) return undefined;
        throw error;
      },
    );
  }

  /** One transaction that deletes records of sizes, if they are as they were read. At most 99. */
  async delete(owner: ArticleOwner, records: readonly Record<string, unknown>[]): Promise<void> {
    const { client, tableName: TableName } = this.#table;
    const bytes = records.reduce((sum, record) => sum + Number(record.bytes), 0);
    const deletions = records.map((record) => ({
      Delete: { TableName, Key: { pk: record.pk, sk: record.sk }, ...ifSize(Number(record.bytes)) },
    }));
    const count = this.#count(owner, { articles: -records.length, bytes: -bytes });
    await client.send(new TransactWriteCommand({ TransactItems: [count, ...deletions] }));
  }

  /** Changes the user's counts, on the condition that the user is the owner, has room, and is not being deleted. */
  #count(
    { username, userId }: ArticleOwner,
    { articles, bytes }: { articles: number; bytes: number },
    room?: number,
    pages?: ReturnType<typeof createPageWrites>["user"],
  ) {
    return {
      Update: {
        TableName: this.#table.tableName,
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
    };
  }
}

/** The condition that an article still has the size that was read. */
const ifSize = (bytes: number | undefined) =>
  bytes === undefined
    ? { ConditionExpression: "attribute_not_exists(pk)" }
    : { ConditionExpression: "bytes = :before", ExpressionAttributeValues: { ":before": bytes } };
