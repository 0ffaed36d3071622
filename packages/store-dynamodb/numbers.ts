// SPDX-License-Identifier: MIT

import { TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { splitList } from "@reading-list/core/domain/split-list.ts";
import type { ClosedUser } from "@reading-list/core/ports/users.ts";
import { readRecord, type Table } from "./client.ts";
import { highlightKey, itemKey, numberKey, userKey } from "./keys.ts";
import { isConditionFailed, retryConflicts } from "./optimistic-locking.ts";
import { readUser } from "./users.ts";

/** Each record takes two of the 100 writes of a transaction, and the user's record one. */
const numbersAtOnce = 49;

/**
 * Records that have numbers: their keys, the attribute of the number, and the attribute of their ids in the record of a
 * number.
 */
const kinds = {
  item: { keyOf: itemKey, attribute: "itemNumber", idAttribute: "itemId" },
  highlight: { keyOf: highlightKey, attribute: "markNumber", idAttribute: "markId" },
} as const;
type Kind = keyof typeof kinds;

/** The record by which the item, or the highlight, of a number is found, if it has one. */
export const createNumberRecords = (username: string, kind: Kind, id: string, number: number | undefined) =>
  number === undefined ? [] : [{ ...numberKey(username, number), [kinds[kind].idAttribute]: id }];

/** Current records by id; `number` is undefined for a record without one. */
type FindNumbered = (ids: readonly string[]) => Promise<ReadonlyMap<string, { number?: number | undefined }>>;

/** See `ItemStore.assignNumbers`. A transaction has the numbers of its records and the greatest one in the user's record. */
export async function assignNumbers(
  table: Table,
  user: ClosedUser,
  kind: Kind,
  ids: readonly string[],
  find: FindNumbered,
): Promise<Map<string, number>> {
  const numbers = new Map<string, number>();
  for (const part of splitList(ids, numbersAtOnce)) {
    await retryConflicts(async () => {
      // Another call may have given numbers since the caller has read the records.
      const [{ lastNumber }, found] = await Promise.all([readUser(table, user), find(part)]);
      // In the order asked for, so that numbers follow it: a batch is read in no order.
      const missing = part.filter((id) => found.has(id) && found.get(id)?.number === undefined);
      const next = missing.map((id, index) => [id, lastNumber + index + 1] as const);
      if (missing.length > 0 && !(await storeNumbers(table, user, kind, lastNumber, next))) return undefined;
      for (const [id, { number }] of found) if (number !== undefined) numbers.set(id, number);
      for (const [id, number] of next) numbers.set(id, number);
      return true;
    });
  }
  return numbers;
}

/** One transaction; false if another one has given numbers meanwhile. */
async function storeNumbers(
  { client, tableName: TableName }: Table,
  { username, userId }: ClosedUser,
  kind: Kind,
  lastNumber: number,
  numbers: readonly (readonly [id: string, number: number])[],
): Promise<boolean> {
  const { keyOf, attribute } = kinds[kind];
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
  const writes = numbers.flatMap(([id, number]) => [
    {
      Update: {
        TableName,
        Key: keyOf(username, id),
        UpdateExpression: `SET ${attribute} = :number`,
        ConditionExpression: `attribute_exists(pk) AND attribute_not_exists(${attribute})`,
        ExpressionAttributeValues: { ":number": number },
      },
    },
    ...createNumberRecords(username, kind, id, number).map((Item) => ({ Put: { TableName, Item } })),
  ]);
  try {
    await client.send(new TransactWriteCommand({ TransactItems: [{ Update: userUpdate }, ...writes] }));
    return true;
  } catch (error) {
    if (!isConditionFailed(error)) throw error;
    return false;
  }
}

/** See `ItemStore.findByNumber`. */
export async function findByNumber<Numbered extends { number?: number | undefined }>(
  table: Table,
  username: string,
  kind: Kind,
  number: number,
  find: (ids: readonly string[]) => Promise<ReadonlyMap<string, Numbered>>,
): Promise<Numbered | undefined> {
  const id = (await readRecord(table, numberKey(username, number)))?.[kinds[kind].idAttribute];
  if (id === undefined) return undefined;
  const found = (await find([String(id)])).get(String(id));
  return found?.number === number ? found : undefined;
}
