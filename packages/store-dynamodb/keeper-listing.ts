// SPDX-License-Identifier: MIT

import { paginateQuery, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { deleteBatch } from "./batches.ts";
import type { Table } from "./client.ts";
import { keepingKey, keepingListing, lastDueKeeping, timeOfKeepingKey, userIdOfKeepingKey, userKey } from "./keys.ts";
import { isFirstConditionFailed } from "./optimistic-locking.ts";
import { parseUser, readUserRecord, type StoredUser } from "./users.ts";

/** Users among whom the next work is looked for. */
export const usersAtOnce = 50;

/** The users for the keeper, by the time of their next work, in a separate partition (docs/data.md 1.13). */
export class KeeperListing {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  /** The users who are due, the longest first. Records of users who are gone, or due at another time, are removed. */
  async due(now: number): Promise<StoredUser[]> {
    const pages = paginateQuery(
      { client: this.#table.client },
      {
        TableName: this.#table.tableName,
        ConsistentRead: true,
        Limit: usersAtOnce,
        KeyConditionExpression: "pk = :pk AND sk <= :last",
        ExpressionAttributeValues: { ":pk": keepingListing, ":last": lastDueKeeping(now) },
      },
    );
    const users: StoredUser[] = [];
    const stale: Record<string, string>[] = [];
    for await (const { Items = [] } of pages) {
      const records = await Promise.all(Items.map(({ username }) => readUserRecord(this.#table, String(username))));
      for (const [index, { pk, sk }] of Items.entries()) {
        const record = records[index];
        const isOwn = record?.userId === userIdOfKeepingKey(sk) && record.keepingAt === timeOfKeepingKey(sk);
        if (!isOwn) stale.push({ pk, sk });
        // Without a password the user is being moved, or deleted.
        else if (record.passwordHash !== undefined) users.push(parseUser(record));
      }
      if (users.length >= usersAtOnce) break;
    }
    await deleteBatch(this.#table, stale);
    return users;
  }

  /** Lists a user at the time of the next work, or no more, unless anything of the user has changed since it was read. */
  settle(user: StoredUser, next: number | undefined): Promise<void> {
    const condition =
      "userId = :userId AND keepingAt = :at AND revision = :revision AND notedRevision = :revision AND (keptRevision = :kept OR attribute_not_exists(keptRevision))";
    return this.#list(user, next, condition, { ":revision": user.revision, ":kept": user.keptRevision });
  }

  /** Lists a user at a later time. The revision does not matter: the user stays listed. */
  postpone(user: StoredUser, until: number): Promise<void> {
    return this.#list(user, until, "userId = :userId AND keepingAt = :at", {});
  }

  /** Lists a user at the time of the next look, or no more, if the condition holds. */
  async #list(
    { username, userId, keepingAt }: StoredUser,
    next: number | undefined,
    ConditionExpression: string,
    values: Record<string, unknown>,
  ): Promise<void> {
    const { client, tableName: TableName } = this.#table;
    if (keepingAt === undefined || keepingAt === next) return;
    const Update = {
      TableName,
      Key: userKey(username),
      ConditionExpression,
      UpdateExpression: next === undefined ? "REMOVE keepingAt" : "SET keepingAt = :next",
      ExpressionAttributeValues: {
        ":userId": userId,
        ":at": keepingAt,
        ...values,
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
