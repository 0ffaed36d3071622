// SPDX-License-Identifier: MIT

import { paginateQuery, type QueryCommandInput } from "@aws-sdk/lib-dynamodb";
import type { Item } from "@reading-list/core/domain/item.ts";
import { readBatch } from "./batches.ts";
import type { Table } from "./client.ts";
import { parseItem } from "./item-records.ts";
import { itemKey, listEnd, userKey } from "./keys.ts";
import { tableDefinition } from "./table-definition.ts";

const { byTime, unread } = tableDefinition.indexes;

/** A part of one index: from one sort key to another, both inclusive. */
export interface IndexRange {
  index?: typeof byTime | typeof unread;
  first: string;
  last: string;
  /** By the sort key: newest change first, or oldest. */
  order: "newestFirst" | "oldestFirst";
  /** Records that one request of the database looks at; as many as 1 MB holds if undefined. */
  pageSize?: number | undefined;
}

export interface ItemQuery extends IndexRange {
  readOnly?: boolean;
  /** Only deleted items that are in the trash. */
  trashOnly?: boolean;
  /** Only items that have, or had, highlights. */
  highlightedOnly?: boolean;
}

/** The table, with the number of items that its queries have looked at, including items that a filter leaves out. */
export type CountedTable = Table & { read?: number };

/** The database's pages of a range of a user's records. Consistent: contains every acknowledged change. */
export function queryRange(
  { client, tableName }: Table,
  username: string,
  { index = byTime, first, last, order, pageSize }: IndexRange,
  more: Partial<QueryCommandInput> = {},
) {
  // DynamoDB refuses an empty range.
  if (first > last) return [];
  return paginateQuery(
    { client },
    {
      TableName: tableName,
      IndexName: index.name,
      ConsistentRead: true,
      ScanIndexForward: order === "oldestFirst",
      KeyConditionExpression: `pk = :pk AND ${index.sortKey} BETWEEN :first AND :last`,
      ExpressionAttributeValues: { ":pk": userKey(username).pk, ":first": first, ":last": last },
      ...(pageSize !== undefined && { Limit: pageSize }),
      ...more,
    },
  );
}

/** Items of a user, a page of the database at a time. */
export async function* queryItems(table: CountedTable, username: string, query: ItemQuery) {
  const { readOnly = false, trashOnly = false, highlightedOnly = false, ...range } = query;
  const pages = queryRange(table, username, range, {
    ...(readOnly && { FilterExpression: `attribute_not_exists(${unread.sortKey})` }),
    ...(trashOnly && { FilterExpression: "attribute_exists(trash)" }),
    ...(highlightedOnly && { FilterExpression: "attribute_exists(marked)" }),
    ProjectionExpression: "sk, changed, unread, itemNumber, page, trash, marked",
  });
  for await (const { Items = [], ScannedCount = 0 } of pages) {
    if (table.read !== undefined) table.read += ScannedCount;
    yield Items.map((record): Item => parseItem(record));
  }
}

/** The stored items of these ids, tombstones included. */
export async function findItems(
  table: Table,
  username: string,
  itemIds: readonly string[],
): Promise<Map<string, Item>> {
  const keys = itemIds.map((itemId) => itemKey(username, itemId));
  const items = (await readBatch(table, keys)).map(parseItem);
  return new Map(items.map((item) => [item.itemId, item]));
}

/** All items of a user, oldest change first, a page of the database at a time. */
export const walkItems = (table: Table, username: string): AsyncGenerator<Item[]> =>
  queryItems(table, username, { first: "0", last: listEnd, order: "oldestFirst" });
