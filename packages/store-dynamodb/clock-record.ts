// SPDX-License-Identifier: MIT

import { PutCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { ClockRecord } from "@reading-list/core/domain/clock-check.ts";
import type { ClockStore } from "@reading-list/core/ports/clock.ts";
import { readRecord, type Table } from "./client.ts";
import { clockKey, parseListingKey, trashKey, trashListing } from "./keys.ts";

/** The record that a table has of the clock. */
export const findClock = async (table: Table): Promise<ClockRecord> =>
  ((await readRecord(table, clockKey))?.record as ClockRecord | undefined) ?? {};

export const createClockStore = (table: Table): ClockStore => ({
  find: () => findClock(table),
  async save(record) {
    const { client, tableName: TableName } = table;
    await client.send(new PutCommand({ TableName, Item: { ...clockKey, record } }));
  },
  // The newest day on which a page was deleted: without one there is nothing to erase, and it is one read.
  async newestChange(now) {
    const { client, tableName: TableName } = table;
    const { Items = [] } = await client.send(
      new QueryCommand({
        TableName,
        KeyConditionExpression: "pk = :pk AND sk < :end",
        ExpressionAttributeValues: { ":pk": trashListing, ":end": trashKey(now, "").sk },
        ScanIndexForward: false,
        Limit: 1,
      }),
    );
    return Items[0] && parseListingKey(Items[0].sk).time;
  },
});
