import { randomUUID } from "node:crypto";
import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { QueryCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { type Item, type ItemState, type ItemWrite, newestFirst } from "@reading-list/core/domain/item.ts";
import { timeOfChange } from "@reading-list/core/domain/user-clock.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import type { ItemQuery, ItemStore, User } from "@reading-list/core/ports.ts";
import { count } from "@reading-list/core/tally.ts";
import { readBatch, walkPartition } from "./batches.ts";
import type { Table } from "./client.ts";
import { retryConflicts } from "./conflicts.ts";
import { itemKey, itemPrefix, listedAfter, listedAt, userKey } from "./keys.ts";
import { tableDefinition } from "./table-definition.ts";
import type { UserRecord } from "./users.ts";

/** Items that one query is asked for at most; DynamoDB's own bound of 1 MB a page comes before. */
const itemsPerQuery = 100_000;

/** Items that a query with a filter looks at: most lists were saved by one application, some hardly by this one. */
const itemsPerFilteredQuery = 250;

/** How many items a query may look at where `missing` are still to be found. */
function limitOf(missing: number, { applicationId }: ItemQuery): number {
  return Math.min(itemsPerQuery, applicationId === undefined ? missing : Math.max(missing, itemsPerFilteredQuery));
}

/** An item as it stands in the table. */
interface ItemRecord extends Omit<Item, "refId"> {
  refId?: string;
  listed: string;
}

const itemOf = (record: ItemRecord): Item => ({
  itemId: record.itemId,
  url: record.url,
  title: record.title,
  tags: record.tags,
  state: record.state,
  applicationId: record.applicationId,
  refId: record.refId,
  timeAdded: record.timeAdded,
  timeUpdated: record.timeUpdated,
  revision: record.revision,
});

/** How the counts in the user's record change with these writes. */
function countChanges(writes: readonly ItemWrite[]): Record<ItemState, number> {
  const changes = { "0": 0, "1": 0 };
  for (const { before, after } of writes) {
    changes[after.state] += 1;
    if (before) changes[before.state] -= 1;
  }
  return changes;
}

/** The items' records (architecture, "Data" and "The user's clock"). */
export function createItemStore({ client, tableName }: Table): ItemStore {
  /** The first `wanted` items of one state, newest first; all where undefined. */
  async function listState(user: User, state: ItemState, query: ItemQuery, wanted: number | undefined) {
    const { first, last } = listedAfter(state, query.after);
    const items: Item[] = [];
    let from: Record<string, unknown> | undefined;
    do {
      const page = await client.send(
        new QueryCommand({
          TableName: tableName,
          IndexName: tableDefinition.index.name,
          ConsistentRead: true,
          ScanIndexForward: false,
          KeyConditionExpression: "pk = :pk AND listed BETWEEN :first AND :last",
          ...(query.applicationId !== undefined && { FilterExpression: "applicationId = :application" }),
          ExpressionAttributeValues: {
            ":pk": userKey(user.username).pk,
            ":first": first,
            ":last": last,
            ...(query.applicationId !== undefined && { ":application": query.applicationId }),
          },
          ...(wanted !== undefined && { Limit: limitOf(wanted - items.length, query) }),
          ...(from && { ExclusiveStartKey: from }),
        }),
      );
      for (const record of page.Items ?? []) items.push(itemOf(record as ItemRecord));
      from = page.LastEvaluatedKey;
    } while (from && (wanted === undefined || items.length < wanted));
    return items;
  }

  /** One transaction; throws what cancelled it. */
  async function writeOnce(user: User, writes: readonly ItemWrite[], time: number) {
    const counts = countChanges(writes);
    const userUpdate = {
      Update: {
        TableName: tableName,
        Key: userKey(user.username),
        UpdateExpression: "SET countUnread = countUnread + :unread, countRead = countRead + :read, changedAt = :time",
        // Without a password the user is being deleted.
        ConditionExpression: "attribute_exists(passwordHash) AND lastSince < :time AND changedAt <= :time",
        ExpressionAttributeValues: { ":unread": counts["0"], ":read": counts["1"], ":time": time },
        ReturnValuesOnConditionCheckFailure: "ALL_OLD" as const,
      },
    };
    const itemPuts = writes.map(({ before, after }) => {
      const { itemId, url, title, tags, state, applicationId, refId } = after;
      const record: ItemRecord = {
        itemId,
        url,
        title,
        tags,
        state,
        applicationId,
        ...(refId !== undefined && { refId }),
        timeAdded: before?.timeAdded ?? time,
        timeUpdated: time,
        revision: (before?.revision ?? 0) + 1,
        listed: listedAt(state, time, itemId),
      };
      return {
        Put: {
          TableName: tableName,
          Item: { ...itemKey(user.username, itemId), ...record },
          ...(before
            ? { ConditionExpression: "revision = :seen", ExpressionAttributeValues: { ":seen": before.revision } }
            : { ConditionExpression: "attribute_not_exists(pk)" }),
        },
      };
    });
    await client.send(
      new TransactWriteCommand({ TransactItems: [userUpdate, ...itemPuts], ClientRequestToken: randomUUID() }),
    );
  }

  return {
    async find(username, itemIds) {
      const keys = itemIds.map((itemId) => itemKey(username, itemId));
      const records = await readBatch({ client, tableName }, keys);
      return new Map(
        records.map((record) => itemOf(record as unknown as ItemRecord)).map((item) => [item.itemId, item]),
      );
    },

    async list(user, query) {
      const { state, skip, limit } = query;
      if (skip > 0 && skip >= user.countUnread + user.countRead) return [];
      const wanted = limit === undefined ? undefined : skip + limit;
      const states: ItemState[] = state === undefined ? ["0", "1"] : [state];
      const lists = await Promise.all(states.map((each) => listState(user, each, query, wanted)));
      return lists.flat().sort(newestFirst).slice(skip, wanted);
    },

    async write(user, writes, now) {
      let clock = user.clock;
      for (;;) {
        try {
          await retryConflicts(() => writeOnce(user, writes, timeOfChange(now, clock)));
          return "written";
        } catch (error) {
          if (!(error instanceof TransactionCanceledException)) throw error;
          const [userReason, ...itemReasons] = error.CancellationReasons ?? [];
          if (itemReasons.some((reason) => reason.Code === "ConditionalCheckFailed")) return "stale";
          if (userReason?.Code !== "ConditionalCheckFailed") throw error;
          const record = userReason.Item && (unmarshall(userReason.Item) as UserRecord);
          if (record?.passwordHash === undefined) {
            throw new ServiceError("unauthorized", "username and/or password incorrect");
          }
          clock = record;
          count("conflictsRetried");
        }
      }
    },
  };
}

/** All items of a user, a page of the database at a time and in no order. */
export async function* walkItems(table: Table, username: string): AsyncGenerator<Item[]> {
  for await (const records of walkPartition(table, userKey(username).pk, itemPrefix)) {
    yield records.map((record) => itemOf(record as unknown as ItemRecord));
  }
}
