// SPDX-License-Identifier: MIT

import {
  BatchGetCommand,
  BatchWriteCommand,
  type BatchWriteCommandInput,
  paginateQuery,
  paginateScan,
} from "@aws-sdk/lib-dynamodb";
import { retries } from "@reading-list/core/call-scope.ts";
import { splitList } from "@reading-list/core/domain/split-list.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import type { Table } from "./client.ts";

const readsPerBatch = 100;
const writesPerBatch = 25;
const batchesAtOnce = 8;

const tooBusy = () => new ServiceError("unavailable", "the database is too busy; try again", { retryAfter: 1 });

type Key = Record<string, string>;

/** Reads records by their keys, consistently and in no order. Missing records are left out. */
export async function readBatch(table: Table, keys: readonly Key[]): Promise<Record<string, unknown>[]> {
  return (await Promise.all(splitList(keys, readsPerBatch).map((chunk) => readOnce(table, chunk)))).flat();
}

async function readOnce({ client, tableName }: Table, keys: Key[]): Promise<Record<string, unknown>[]> {
  const found: Record<string, unknown>[] = [];
  let left = keys;
  for await (const _ of retries()) {
    const { Responses, UnprocessedKeys } = await client.send(
      new BatchGetCommand({ RequestItems: { [tableName]: { Keys: left, ConsistentRead: true } } }),
    );
    found.push(...(Responses?.[tableName] ?? []));
    left = UnprocessedKeys?.[tableName]?.Keys ?? [];
    if (left.length === 0) return found;
  }
  throw tooBusy();
}

/** All records of a table, a page of the database at a time and in no order. */
export async function* walkTable({ client, tableName }: Table): AsyncGenerator<Record<string, unknown>[]> {
  const pages = paginateScan({ client }, { TableName: tableName, ConsistentRead: true });
  for await (const { Items = [] } of pages) yield Items;
}

/** The records of a partition whose sort keys begin with `prefix`, a page of the database at a time. */
export async function* walkPartition(
  { client, tableName }: Table,
  pk: string,
  prefix = "",
  keysOnly = false,
): AsyncGenerator<Record<string, unknown>[]> {
  const pages = paginateQuery(
    { client },
    {
      TableName: tableName,
      ConsistentRead: true,
      KeyConditionExpression: prefix ? "pk = :pk AND begins_with(sk, :prefix)" : "pk = :pk",
      ExpressionAttributeValues: { ":pk": pk, ...(prefix && { ":prefix": prefix }) },
      ...(keysOnly && { ProjectionExpression: "pk, sk" }),
    },
  );
  for await (const { Items = [] } of pages) yield Items;
}

/** The keys of such records. */
export async function readKeys(table: Table, pk: string, prefix: string): Promise<Key[]> {
  const keys: Key[] = [];
  for await (const page of walkPartition(table, pk, prefix, true)) keys.push(...(page as Key[]));
  return keys;
}

/** Deletes records by their keys; idempotent. */
export async function deleteBatch(table: Table, keys: readonly Key[]): Promise<void> {
  for (const group of splitList(splitList(keys, writesPerBatch), batchesAtOnce)) {
    await Promise.all(group.map((chunk) => deleteOnce(table, chunk)));
  }
}

async function deleteOnce({ client, tableName }: Table, keys: Key[]): Promise<void> {
  let left: NonNullable<BatchWriteCommandInput["RequestItems"]>[string] = keys.map((Key) => ({
    DeleteRequest: { Key },
  }));
  for await (const _ of retries()) {
    const { UnprocessedItems } = await client.send(new BatchWriteCommand({ RequestItems: { [tableName]: left } }));
    left = UnprocessedItems?.[tableName] ?? [];
    if (left.length === 0) return;
  }
  throw tooBusy();
}
