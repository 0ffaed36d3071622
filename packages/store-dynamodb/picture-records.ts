// SPDX-License-Identifier: MIT

import { GetCommand, TransactWriteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { ArticlePicture } from "@reading-list/core/domain/article-pictures.ts";
import type { ArticleOwner } from "@reading-list/core/ports/articles.ts";
import { readBatch, walkPartition } from "./batches.ts";
import type { Table } from "./client.ts";
import { articleKey, articlePicturePrefix, parseFileKey, pictureFileKey, pictureTotalKey, userKey } from "./keys.ts";
import { isConditionFailed } from "./optimistic-locking.ts";

type Writes = NonNullable<TransactWriteCommand["input"]["TransactItems"]>;

/** Lost pictures that a user's record names; those beyond are found once these are read again. */
const maxLost = 1000;

/** The picture of an article, of its record. */
export const parsePicture = ({ url, keptHash, tries, retryAt }: Record<string, unknown>): ArticlePicture => ({
  url: String(url),
  hash: keptHash === undefined ? undefined : String(keptHash),
  tries: Number(tries ?? 0),
  retryAt: retryAt === undefined ? undefined : Number(retryAt),
});

/**
 * The record of a stored picture. A new object has a new name, so that no deletion removes the object of another
 * record.
 */
export interface FileRecord {
  pk: string;
  sk: string;
  bytes: number;
  objectName: string;
  /** Pictures of articles that it is; 0: it is not stored yet. */
  uses: number;
}

export const parseFile = ({ pk, sk, bytes, objectName, uses }: Record<string, unknown>): FileRecord => ({
  pk: String(pk),
  sk: String(sk),
  objectName: String(objectName),
  bytes: Number(bytes),
  uses: Number(uses),
});

/** The condition that the picture of an article has not changed since it was read. */
export const ifHash = (hash: string | undefined) =>
  hash === undefined
    ? { ConditionExpression: "attribute_not_exists(keptHash)" }
    : { ConditionExpression: "keptHash = :before", ExpressionAttributeValues: { ":before": hash } };

/** Writes that change the uses of stored pictures, and the bytes by which the total grows. */
interface UsesChange {
  write: Writes[number];
  growth: number;
}

/** The records of a user's pictures: one of each picture of an article, one of each stored picture, and the total. */
export class PictureRecords {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  async read(Key: Record<string, string>): Promise<Record<string, unknown> | undefined> {
    const { client, tableName: TableName } = this.#table;
    return (await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item;
  }

  /** Stored pictures by hash. */
  async readFiles(userId: string, hashes: readonly string[]): Promise<Map<string, FileRecord>> {
    const keys = hashes.map((hash) => pictureFileKey(userId, hash));
    const records = (await readBatch(this.#table, keys)).map(parseFile);
    return new Map(records.map((record) => [parseFileKey(record.sk), record]));
  }

  /** The pictures of an article. */
  async list(userId: string, itemId: string): Promise<ArticlePicture[]> {
    const pictures: ArticlePicture[] = [];
    const { pk } = pictureTotalKey(userId);
    for await (const page of walkPartition(this.#table, pk, articlePicturePrefix(itemId)))
      pictures.push(...page.map(parsePicture));
    return pictures;
  }

  /** The bytes of all stored pictures. */
  async bytes(userId: string): Promise<number> {
    return Number((await this.read(pictureTotalKey(userId)))?.bytes ?? 0);
  }

  /** The hashes of the pictures whose objects were asked for, and are lost. */
  async lost(userId: string): Promise<ReadonlySet<string>> {
    return ((await this.read(pictureTotalKey(userId)))?.lost as Set<string> | undefined) ?? new Set();
  }

  changeLost(userId: string, action: "ADD" | "DELETE", hash: string) {
    return {
      TableName: this.#table.tableName,
      Key: pictureTotalKey(userId),
      UpdateExpression: `${action} lost :lost`,
      ConditionExpression: `attribute_exists(pk)${action === "ADD" ? " AND (attribute_not_exists(lost) OR size(lost) < :max)" : ""}`,
      ExpressionAttributeValues: { ":lost": new Set([hash]), ...(action === "ADD" && { ":max": maxLost }) },
    };
  }

  /** Remembers that the object of a picture is lost, so that it is read again when its article is opened. */
  async noteLost(userId: string, hash: string): Promise<void> {
    await this.#table.client.send(new UpdateCommand(this.changeLost(userId, "ADD", hash))).catch((error) => {
      if (!isConditionFailed(error)) throw error;
    });
  }

  /** The conditions that the user is not being deleted, and keeps the article. */
  ifKept({ username, userId }: ArticleOwner, itemId: string): Writes {
    const TableName = this.#table.tableName;
    return [
      {
        ConditionCheck: {
          TableName,
          Key: userKey(username),
          ConditionExpression: "userId = :userId AND attribute_not_exists(deletingSince)",
          ExpressionAttributeValues: { ":userId": userId },
        },
      },
      {
        ConditionCheck: {
          TableName,
          Key: articleKey(username, itemId),
          ConditionExpression: "attribute_exists(pk)",
        },
      },
    ];
  }

  /** The write by which a stored picture has more or fewer uses, and the bytes by which the total grows. */
  changeUses(file: FileRecord, change: number): UsesChange {
    const TableName = this.#table.tableName;
    const { pk, sk, uses: before, objectName, bytes } = file;
    const uses = before + change;
    const condition =
      before === 0
        ? { ConditionExpression: "attribute_not_exists(pk)" }
        : {
            ConditionExpression: "uses = :uses AND objectName = :name",
            ExpressionAttributeValues: { ":uses": before, ":name": objectName },
          };
    const write =
      uses === 0
        ? { Delete: { TableName, Key: { pk, sk }, ...condition } }
        : { Put: { TableName, Item: { ...file, uses }, ...condition } };
    return { write, growth: (uses === 0 ? 0 : bytes) - (before === 0 ? 0 : bytes) };
  }

  /** The writes of some changes of uses, and of the total, if it stays below `quota`. */
  planUses(userId: string, changes: readonly UsesChange[], quota?: number): Writes {
    const growth = changes.reduce((sum, change) => sum + change.growth, 0);
    const total = {
      Update: {
        TableName: this.#table.tableName,
        Key: pictureTotalKey(userId),
        UpdateExpression: "ADD bytes :growth",
        ...(quota !== undefined && { ConditionExpression: "attribute_not_exists(bytes) OR bytes <= :room" }),
        ExpressionAttributeValues: {
          ":growth": growth,
          ...(quota !== undefined && { ":room": Math.max(0, quota - growth) }),
        },
      },
    };
    return [...changes.map(({ write }) => write), ...(growth === 0 ? [] : [total])];
  }

  /** Writes a transaction; undefined if a condition failed. */
  write<T>(TransactItems: Writes, result: T): Promise<T | undefined> {
    return this.#table.client.send(new TransactWriteCommand({ TransactItems })).then(
      () => result,
      (error) => {
        if (isConditionFailed(error)) return undefined;
        throw error;
      },
    );
  }
}
