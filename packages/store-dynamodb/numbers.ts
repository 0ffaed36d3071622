import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { GetCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import type { Item } from "@reading-list/core/domain/item.ts";
import type { User } from "@reading-list/core/ports.ts";
import { readBatch } from "./batches.ts";
import type { Table } from "./client.ts";
import { type ItemRecord, itemOf } from "./item-records.ts";
import { itemKey, numberKey, userKey } from "./keys.ts";
import { retryConflicts } from "./optimistic-locking.ts";
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
  for (let start = 0; start < itemIds.length; start += numbersAtOnce) {
    const ids = itemIds.slice(start, start + numbersAtOnce);
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
    const reasons = error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []) : [];
    if (!reasons.some(({ Code }) => Code === "ConditionalCheckFailed")) throw error;
    return false;
  }
}

const readItems = async (table: Table, username: string, itemIds: readonly string[]): Promise<Item[]> => {
  const records = await readBatch(
    table,
    itemIds.map((itemId) => itemKey(username, itemId)),
  );
  const items = new Map(records.map((record) => [String(record.sk), itemOf(record as unknown as ItemRecord)]));
  // In the order asked for, so that numbers follow it: a batch is read in no order.
  return itemIds.flatMap((itemId) => items.get(itemKey(username, itemId).sk) ?? []);
};

/** See `ItemStore.findByNumber`. */
export async function findByNumber(table: Table, username: string, number: number): Promise<Item | undefined> {
  const { client, tableName: TableName } = table;
  const Key = numberKey(username, number);
  const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
  if (!Item) return undefined;
  const [item] = await readItems(table, username, [String(Item.itemId)]);
  return item?.number === number ? item : undefined;
}
