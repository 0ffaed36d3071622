// SPDX-License-Identifier: MIT

import { PutCommand, paginateQuery, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { erased, type Item, isAsSeen, trashKeptSeconds } from "@reading-list/core/domain/item.ts";
import { startOfDay } from "@reading-list/core/domain/sign-in.ts";
import { splitList } from "@reading-list/core/domain/split-list.ts";
import { wrongCredentials } from "@reading-list/core/errors.ts";
import { type TrashStore, writesAtOnce } from "@reading-list/core/ports/items.ts";
import type { ClosedUser } from "@reading-list/core/ports/users.ts";
import { deleteBatch } from "./batches.ts";
import { readRecord, type Table } from "./client.ts";
import { storedChangeKey, writeRecord } from "./item-records.ts";
import {
  deletedPrefix,
  firstKeyAfter,
  indexWalkKey,
  itemKey,
  lastKeyUpTo,
  parseListingKey,
  trashKey,
  trashListing,
  userKey,
} from "./keys.ts";
import { isFirstConditionFailed, isOtherConditionFailed, retryConflicts } from "./optimistic-locking.ts";
import { findItems, queryItems } from "./query-items.ts";
import { readUserRecord } from "./users.ts";

const secondsOfDay = 86_400;

/** The records that list a user under the days on which items of the trash were deleted (docs/data.md 1.9). */
export function toTrashRecords(
  { username, userId }: ClosedUser,
  items: readonly Pick<Item, "trashedState" | "timeUpdated">[],
) {
  const days = new Set(
    items.flatMap((item) => (item.trashedState === undefined ? [] : [startOfDay(item.timeUpdated)])),
  );
  return [...days].map((day) => ({ ...trashKey(day, userId), username }));
}

/** Deletes the records of a user who is being deleted: with the items nothing else is left of the trash. */
export async function deleteTrashRecords(table: Table, { userId }: ClosedUser, now: number): Promise<void> {
  const keys: Record<string, string>[] = [];
  // A day more on both sides: the schedule may be late, and the list's clock ahead.
  const oldest = startOfDay(now - trashKeptSeconds - 2 * secondsOfDay);
  for (let day = oldest; day <= now + secondsOfDay; day += secondsOfDay) keys.push(trashKey(day, userId));
  await deleteBatch(table, keys);
}

/** A walk of the users who deleted pages, in several runs. */
export interface IndexWalk {
  /** Unix seconds. */
  startedAt: number;
  /** The key after which it continues; undefined at the end. */
  after?: string;
}

/** The first key of a walk over the users who deleted pages from a time on, which is in unix seconds. */
export const findWalkBegin = (time: number): string => trashKey(startOfDay(time), "").sk;

export const findIndexWalk = async (table: Table): Promise<IndexWalk | undefined> =>
  (await readRecord(table, indexWalkKey))?.walk as IndexWalk | undefined;

export async function saveIndexWalk({ client, tableName: TableName }: Table, walk: IndexWalk): Promise<void> {
  await client.send(new PutCommand({ TableName, Item: { ...indexWalkKey, walk } }));
}

/** Users who deleted pages, in parts, each with the key after which the next part begins; a user may come twice. */
export async function* walkDeletingUsers(
  { client, tableName: TableName }: Table,
  after: string,
): AsyncGenerator<{ names: string[]; last: string }> {
  const pages = paginateQuery(
    { client },
    {
      TableName,
      Limit: 1000,
      KeyConditionExpression: "pk = :pk AND sk > :after",
      ExpressionAttributeValues: { ":pk": trashListing, ":after": after },
    },
  );
  for await (const { Items = [] } of pages) {
    const names = new Set(Items.map(({ username }) => String(username)));
    yield { names: [...names], last: String(Items.at(-1)?.sk ?? after) };
  }
}

/** The trash: tombstones with the attribute `trash`. */
export function createTrashStore(table: Table): TrashStore {
  const { client, tableName: TableName } = table;

  /** One transaction; undefined if an item has changed since it was read. */
  async function eraseOnce({ username, userId }: ClosedUser, items: readonly Item[]): Promise<true | undefined> {
    const updates = items.map((item) => ({
      Update: {
        TableName,
        Key: itemKey(username, item.itemId),
        UpdateExpression: "SET page = :page REMOVE trash",
        ConditionExpression: "changed = :seen AND attribute_exists(trash)",
        ExpressionAttributeValues: {
          ":page": writeRecord(username, erased(item)).page,
          ":seen": storedChangeKey(item),
        },
      },
    }));
    const user = {
      Update: {
        TableName,
        Key: userKey(username),
        // A move that is copying the list copies it again.
        UpdateExpression: "ADD revision :one",
        ConditionExpression: "userId = :userId AND attribute_exists(passwordHash)",
        ExpressionAttributeValues: { ":userId": userId, ":one": 1 },
      },
    };
    try {
      await client.send(new TransactWriteCommand({ TransactItems: [user, ...updates] }));
      return true;
    } catch (error) {
      if (isFirstConditionFailed(error)) throw wrongCredentials();
      if (isOtherConditionFailed(error)) return undefined;
      throw error;
    }
  }

  return {
    walk: ({ username }, { order, after = -1, upTo = Number.MAX_SAFE_INTEGER }) =>
      queryItems(table, username, {
        first: deletedPrefix + firstKeyAfter(after),
        last: deletedPrefix + lastKeyUpTo(upTo),
        trashOnly: true,
        order,
      }),

    async erase(user, items) {
      for (const part of splitList(items, writesAtOnce)) {
        let left = part;
        await retryConflicts(async () => {
          if (left.length === 0 || (await eraseOnce(user, left))) return true;
          const stored = await findItems(
            table,
            user.username,
            left.map(({ itemId }) => itemId),
          );
          left = left.filter((item) => isAsSeen(stored.get(item.itemId), item));
          return undefined;
        });
      }
    },

    async *due(upTo) {
      const pages = paginateQuery(
        { client },
        {
          TableName,
          ConsistentRead: true,
          KeyConditionExpression: "pk = :pk AND sk < :end",
          // Days that are wholly over by then.
          ExpressionAttributeValues: { ":pk": trashListing, ":end": trashKey(startOfDay(upTo), "").sk },
        },
      );
      for await (const { Items = [] } of pages) {
        for (const { pk, sk, username } of Items) {
          const user = { username: String(username), userId: parseListingKey(sk).userId };
          const settle = () => deleteBatch(table, [{ pk, sk }]);
          const record = await readUserRecord(table, user.username);
          // The deletion of a user erases all items.
          if (record?.userId !== user.userId || record.deletingSince !== undefined) await settle();
          // Without a password the user is being moved here.
          else if (record.passwordHash !== undefined) yield { user, settle };
        }
      }
    },
  };
}
