import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { GetCommand, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { KeyWindowStore } from "@reading-list/core/ports.ts";
import type { Table } from "./client.ts";
import { windowKey, windowStartOf } from "./keys.ts";

/** Seconds after its start for which a window is kept, for an operator who asks about usage. */
const keptFor = 8 * 86_400;

/** The calls of each application by window (contract, "Keys, users, limits"). */
export function createKeyWindowStore({ client, tableName }: Table): KeyWindowStore {
  const update = (applicationId: string, windowStart: number, step: 1 | -1, condition: string, bound: number) =>
    client.send(
      new UpdateCommand({
        TableName: tableName,
        Key: windowKey(applicationId, windowStart),
        UpdateExpression: "SET expires = :expires ADD calls :step",
        ConditionExpression: condition,
        ExpressionAttributeValues: { ":expires": windowStart + keptFor, ":step": step, ":bound": bound },
        ReturnValues: "UPDATED_NEW",
      }),
    );

  return {
    async countCall(applicationId, windowStart, limit) {
      if (limit === 0) return { counted: false, calls: 0 };
      try {
        const condition = "attribute_not_exists(calls) OR calls < :bound";
        const { Attributes } = await update(applicationId, windowStart, 1, condition, limit);
        return { counted: true, calls: Attributes?.calls };
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) return { counted: false, calls: limit };
        throw error;
      }
    },

    async uncountCall(applicationId, windowStart) {
      try {
        await update(applicationId, windowStart, -1, "calls > :bound", 0);
      } catch (error) {
        // The client repeats a request whose answer was lost: then the call was taken back already.
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
      }
    },

    async read(applicationId, windowStart) {
      const { Item } = await client.send(
        new GetCommand({ TableName: tableName, Key: windowKey(applicationId, windowStart), ConsistentRead: true }),
      );
      return Item?.calls ?? 0;
    },
  };
}

/** The newest windows in which an application made calls, newest first. */
export async function listKeyWindows(
  { client, tableName }: Table,
  applicationId: string,
  count: number,
): Promise<{ start: number; calls: number }[]> {
  const { Items } = await client.send(
    new QueryCommand({
      TableName: tableName,
      ConsistentRead: true,
      ScanIndexForward: false,
      Limit: count,
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": windowKey(applicationId, 0).pk },
    }),
  );
  return (Items ?? []).map(({ sk, calls }) => ({ start: windowStartOf(sk), calls }));
}
