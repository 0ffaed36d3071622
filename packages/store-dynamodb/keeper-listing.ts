// SPDX-License-Identifier: MIT

import { QueryCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { deleteBatch } from "./batches.ts";
import type { Table } from "./client.ts";
import { keepingKey, keepingListing, lastDueKeeping, parseListingKey, userKey } from "./keys.ts";
import { isFirstConditionFailed } from "./optimistic-locking.ts";
import { parseUser, readUserRecord, type StoredUser } from "./users.ts";

/** Users who are read together. */
const usersAtOnce = 50;

/** The users for the keeper, by the time of their next work, in a separate partition (docs/data.md 1.13). */
export class KeeperListing {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  /**
   * Some of the users who are due, the longest first, after a position in the listing. Records of users who are gone, or
   * due at another time, are removed.
   */
  async due(
    now: number,
    after: string | undefined,
    isSkipped: (userId: string) => boolean,
  ): Promise<{ users: StoredUser[]; next: string | undefined }> {
    const { Items = [], LastEvaluatedKey } = await this.#table.client.send(
      new QueryCommand({
        TableName: this.#table.tableName,
        ConsistentRead: true,
        Limit: usersAtOnce,
        KeyConditionExpression: "pk = :pk AND sk <= :last",
        ExpressionAttributeValues: { ":pk": keepingListing, ":last": lastDueKeeping(now) },
        ...(after !== undefined && { ExclusiveStartKey: { pk: keepingListing, sk: after } }),
      }),
    );
    const listed = Items.filter(({ sk }) => !isSkipped(parseListingKey(sk).userId));
    const records = await Promise.all(listed.map(({ username }) => readUserRecord(this.#table, String(username))));
    const users: StoredUser[] = [];
    const stale: Record<string, string>[] = [];
    for (const [index, { pk, sk }] of listed.entries()) {
      const record = records[index];
      const { time, userId } = parseListingKey(sk);
      const isOwn = record?.userId === userId && record.keepingAt === time;
      if (!isOwn) stale.push({ pk, sk });
      // Without a password the user is being moved, or deleted.
      else if (record.passwordHash !== undefined) users.push(parseUser(record));
    }
    await deleteBatch(this.#table, stale);
    return { users, next: LastEvaluatedKey?.sk };
  }

  /** Lists a user at the time of the next work, or no more, unless anything of the user has changed since it was read. */
  async settle(
    { username, userId, keepingAt, revision, keptRevision }: StoredUser,
    next: number | undefined,
  ): Promise<void> {
    const { client, tableName: TableName } = this.#table;
    if (keepingAt === undefined || keepingAt === next) return;
    const Update = {
      TableName,
      Key: userKey(username),
      ConditionExpression:
        "userId = :userId AND keepingAt = :at AND revision = :revision AND notedRevision = :revision AND (keptRevision = :kept OR attribute_not_exists(keptRevision))",
      UpdateExpression: next === undefined ? "REMOVE keepingAt" : "SET keepingAt = :next",
      ExpressionAttributeValues: {
        ":userId": userId,
        ":at": keepingAt,
        ":revision": revision,
        ":kept": keptRevision,
        ...(next !== undefined && { ":next": next }),
      },
    };
    const Delete = { TableName, Key: keepingKey(keepingAt, userId) };
    const put = next === undefined ? [] : [{ Put: { TableName, Item: { ...keepingKey(next, userId), username } } }];
    await client.send(new TransactWriteCommand({ TransactItems: [{ Update }, { Delete }, ...put] })).catch((error) => {
      if (!isFirstConditionFailed(error)) throw error;
    });
  }
}

/** Removes the record that lists a user for the keeper. */
export async function deleteKeepingRecord(
  table: Table,
  { userId, keepingAt }: Pick<StoredUser, "userId" | "keepingAt">,
) {
  if (keepingAt !== undefined) await deleteBatch(table, [keepingKey(keepingAt, userId)]);
}
