import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import type { DeletionStore } from "@reading-list/core/ports.ts";
import { deleteBatch, walkPartition } from "./batches.ts";
import type { Table } from "./client.ts";
import { itemPrefix, loginAttemptsKey, numberPrefix, signInPrefix, userKey } from "./keys.ts";
import { changeUser } from "./users.ts";

/** Records deleted between two reports of progress. */
const reportEvery = 200;

async function* deletePartition(table: Table, pk: string, prefix?: string): AsyncGenerator<number> {
  for await (const keys of walkPartition(table, pk, prefix, true)) {
    for (let start = 0; start < keys.length; start += reportEvery) {
      const batch = keys.slice(start, start + reportEvery) as Record<string, string>[];
      await deleteBatch(table, batch);
      yield batch.length;
    }
  }
}

/** The steps of the deletion of a user. */
export const createDeletionStore = (table: Table): DeletionStore => ({
  beginDeletion: ({ username, userId, passwordHash }, now) =>
    changeUser(table, username, {
      UpdateExpression: "SET deletingSince = if_not_exists(deletingSince, :now) REMOVE passwordHash",
      // The client repeats a request whose answer was lost.
      ConditionExpression:
        passwordHash !== undefined
          ? "(passwordHash = :hash OR attribute_exists(deletingSince)) AND userId = :userId"
          : "attribute_exists(pk)",
      ExpressionAttributeValues: {
        ":now": now,
        ...(passwordHash !== undefined && { ":hash": passwordHash, ":userId": userId }),
      },
    }),

  async *deleteItems(username) {
    yield* deletePartition(table, userKey(username).pk, itemPrefix);
    for await (const _ of deletePartition(table, userKey(username).pk, numberPrefix));
  },

  deleteSignIns: (username) => deletePartition(table, userKey(username).pk, signInPrefix),

  deleteLoginAttempts: (username) => deletePartition(table, loginAttemptsKey(username, "").pk),

  async endDeletion(username) {
    await table.client.send(
      new DeleteCommand({
        TableName: table.tableName,
        Key: userKey(username),
        ConditionExpression: "attribute_not_exists(pk) OR attribute_exists(deletingSince)",
      }),
    );
  },
});
