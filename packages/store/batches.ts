import { BatchGetCommand, BatchWriteCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { ServiceError } from "@reading-list/core/errors.ts";
import { attempts } from "@reading-list/core/patience.ts";
import type { Table } from "./client.ts";

const readsPerBatch = 100;
const deletesPerBatch = 25;
const batchesAtOnce = 8;

const tooBusy = () => new ServiceError("unavailable", "the database is too busy; try again", { retryAfter: 1 });

type Key = Record<string, string>;

/** Reads records by their keys, consistently and in no order; those that are missing are left out. */
export async function readBatch(table: Table, keys: readonly Key[]): Promise<Record<string, unknown>[]> {
  return (await Promise.all(chunks(keys, readsPerBatch).map((chunk) => readOnce(table, chunk)))).flat();
}

async function readOnce({ client, tableName }: Table, keys: Key[]): Promise<Record<string, unknown>[]> {
  const found: Record<string, unknown>[] = [];
  let left = keys;
  for await (const _ of attempts()) {
    const { Responses, UnprocessedKeys } = await client.send(
      new BatchGetCommand({ RequestItems: { [tableName]: { Keys: left, ConsistentRead: true } } }),
    );
    found.push(...(Responses?.[tableName] ?? []));
    left = UnprocessedKeys?.[tableName]?.Keys ?? [];
    if (left.length === 0) return found;
  }
  throw tooBusy();
}

/** The records of a partition whose sort keys begin with `prefix`, a page of the database at a time. */
export async function* walkPartition(
  { client, tableName }: Table,
  pk: string,
  prefix = "",
  keysOnly = false,
): AsyncGenerator<Record<string, unknown>[]> {
  let from: Record<string, unknown> | undefined;
  do {
    const page = await client.send(
      new QueryCommand({
        TableName: tableName,
        ConsistentRead: true,
        KeyConditionExpression: prefix ? "pk = :pk AND begins_with(sk, :prefix)" : "pk = :pk",
        ExpressionAttributeValues: { ":pk": pk, ...(prefix && { ":prefix": prefix }) },
        ...(keysOnly && { ProjectionExpression: "pk, sk" }),
        ...(from && { ExclusiveStartKey: from }),
      }),
    );
    yield page.Items ?? [];
    from = page.LastEvaluatedKey;
  } while (from);
}

/** Deletes records by their keys; those that are missing count as deleted. */
export async function deleteBatch(table: Table, keys: readonly Key[]): Promise<void> {
  for (const group of chunks(chunks(keys, deletesPerBatch), batchesAtOnce)) {
    await Promise.all(group.map((chunk) => deleteOnce(table, chunk)));
  }
}

async function deleteOnce({ client, tableName }: Table, keys: Key[]): Promise<void> {
  let left: { DeleteRequest: { Key: Key } }[] = keys.map((Key) => ({ DeleteRequest: { Key } }));
  for await (const _ of attempts()) {
    const { UnprocessedItems } = await client.send(new BatchWriteCommand({ RequestItems: { [tableName]: left } }));
    left = (UnprocessedItems?.[tableName] ?? []) as typeof left;
    if (left.length === 0) return;
  }
  throw tooBusy();
}

function chunks<T>(values: readonly T[], size: number): T[][] {
  const parts: T[][] = [];
  for (let start = 0; start < values.length; start += size) parts.push(values.slice(start, start + size));
  return parts;
}
