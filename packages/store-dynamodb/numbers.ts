// SPDX-License-Identifier: MIT

import { TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import type { Item } from "@reading-list/core/domain/item.ts";
import type { User } from "@reading-list/core/ports.ts";
import { chunks } from "./batches.ts";
import { readRecord, type Table } from "./client.ts";
import { itemKey, numberKey, userKey } from "./keys.ts";
import { isConditionFailed, retryConflicts } from "./optimistic-locking.ts";
import { findItems } from "./query-items.ts";
import { readUser } from "./users.ts";

/** Each item takes two of the 100 writes of a transaction, and the user's record one. */
const numbersAtOnce = 49;

/** The record by which the item of a number is found, if the item has one. */
export const numberRecordsOf = (username: string, { itemId, number }: Pick<Item, "itemId" | "number">) =>
  number === undefined ? [] : [{ ...numberKey(username, number), itemId }];

/** See `ItemStore.assignNumbers`. A transaction has the numbers of its items and the greatest one in the user's record. */
export async function assignNumbers(
  table: Table,
  user: Pick<User, "username" | "userId">,
  itemIds: readonly string[],
): Promise<Map<string, number>> {
  const numbers = new Map<string, number>();
  for (const ids of chunks(itemIds, numbersAtOnce)) {
    await retryConflicts(async () => {
      // Another call may have given numbers since the caller has read the items.
      const [{ lastNumber }, items] = await Promise.all([readUser(table, user), readItems(table, user.username, ids)]);
      const given = items.flatMap(({ itemId, number }) => (number === undefined ? [] : [[itemId, number] as const]));
      const missing = items.filter(({ number }) => number === undefined);
      const next = missing.map(({ itemId }, index) => [itemId, lastNumber + index + 1] as const);
      if (missing.length > 0 && !(await storeNumbers(table, user, lastNumber, next))) return undefined;
      for (const [itemId, number] of [...given, ...next]) numbers.set(itemId, number);
      return true;
    });
  }
  return numbers;
}

/** One transaction; false if another one has given numbers meanwhile. */
async function storeNumbers(
  { client, tableName: TableName }: Table,
  { username, userId }: Pick<User, "username" | "userId">,
  lastNumber: number,
  numbers: readonly (readonly [itemId: string, number: number])[],
): Promise<boolean> {
  const userUpdate = {
    TableName,
    Key: userKey(username),
    UpdateExpression: "SET lastNumber = :next",
    ConditionExpression: `userId = :userId AND ${lastNumber === 0 ? "attribute_not_exists(lastNumber)" : "lastNumber = :last"}`,
    ExpressionAttributeValues: {
      ":userId": userId,
      ":next": lastNumber + numbers.length,
      ...(lastNumber > 0 && { ":last": lastNumber }),
    },
  };
  const writes = numbers.flatMap(([itemId, number]) => [
    {
      Update: {
        TableName,
        Key: itemKey(username, itemId),
        UpdateExpression: "SET itemNumber = :number",
        ConditionExpression: "attribute_exists(pk) AND attribute_not_exists(itemNumber)",
        ExpressionAttributeValues: { ":number": number },
      },
    },
    ...numberRecordsOf(username, { itemId, number }).map((Item) => ({ Put: { TableName, Item } })),
  ]);
  try {
    await client.send(new TransactWriteCommand({ TransactItems: [{ Update: userUpdate }, ...writes] }));
    return true;
  } catch (error) {
    if (!isConditionFailed(error)) throw error;
    return false;
  }
}

/** In the order asked for, so that numbers follow it: a batch is read in no order. */
async function readItems(table: Table, username: string, itemIds: readonly string[]): Promise<Item[]> {
  const items = await findItems(table, username, itemIds);
  return itemIds.flatMap((itemId) => items.get(itemId) ?? []);
}

/** See `ItemStore.findByNumber`. */
export async function findByNumber(table: Table, username: string, number: number): Promise<Item | undefined> {
  const record = await readRecord(table, numberKey(username, number));
  if (!record) return undefined;
  const [item] = await readItems(table, username, [String(record.itemId)]);
  return item?.number === number ? item : undefined;
}
