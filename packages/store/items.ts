import { randomUUID } from "node:crypto";
import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { QueryCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { type Item, type ItemState, type ItemWrite, newestFirst } from "@reading-list/core/domain/item.ts";
import {
  cheapestReadings,
  countOf,
  type ListRange,
  marksAfterWrites,
  type Reading,
} from "@reading-list/core/domain/page-mark.ts";
import { timeOfChange } from "@reading-list/core/domain/user-clock.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import type { ItemStore, Listing, User, WritableList } from "@reading-list/core/ports.ts";
import { count } from "@reading-list/core/tally.ts";
import { readBatch, walkPartition } from "./batches.ts";
import type { Table } from "./client.ts";
import { retryConflicts } from "./conflicts.ts";
import { itemKey, itemPrefix, listedAfter, listedAt, listedBelow, userKey } from "./keys.ts";
import { tableDefinition } from "./table-definition.ts";
import { type UserRecord, userOf } from "./users.ts";

/** Items that one query is asked for at most; DynamoDB's own bound of 1 MB a page comes before. */
const itemsPerQuery = 100_000;

/** Items that a query with a filter looks at: most lists were saved by one application, some hardly by this one. */
const itemsPerFilteredQuery = 250;

/** How many items a query may look at where `missing` are still to be found. */
function limitOf(missing: number, { applicationId }: ListRange): number {
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

/** How the number of items of each state changes with these writes, of all or of those that `isCounted`. */
function countChanges(writes: readonly ItemWrite[], isCounted: (before: Item) => boolean = () => true) {
  const changes: Record<ItemState, number> = { "0": 0, "1": 0 };
  for (const { before, after } of writes) {
    changes[after.state] += 1;
    if (before && isCounted(before)) changes[before.state] -= 1;
  }
  return changes;
}

/** The bounds in the index between which a reading finds its items of one state. */
function boundsOf(state: ItemState, { after }: ListRange, { direction, from }: Reading) {
  const bounds = listedAfter(state, after);
  if (from && direction === "down") bounds.last = listedBelow(state, from.timeUpdated, from.itemId);
  if (from && direction === "up") bounds.first = listedAt(state, from.timeUpdated, from.itemId);
  return bounds;
}

/** Whether these are all items of a state that a reading must find at least, by what the user's record tells. */
function isComplete(items: readonly Item[], user: User, state: ItemState, range: ListRange, reading: Reading): boolean {
  const isFromTop = reading.direction === "down" && !reading.from;
  if (!isFromTop || range.applicationId !== undefined) return true;
  const found = items.filter((item) => item.timeUpdated >= user.clock.changedAt).length;
  return found >= Math.min(user.newest[state], reading.pass + (reading.take ?? Number.POSITIVE_INFINITY));
}

/** The items' records (architecture, "Data" and "The user's clock"). */
export function createItemStore({ client, tableName }: Table): ItemStore {
  /** The items of one state that a reading passes over or takes, in its direction. */
  async function listState(user: User, state: ItemState, range: ListRange, reading: Reading): Promise<Item[]> {
    const { first, last } = boundsOf(state, range, reading);
    const wanted = reading.take === undefined ? undefined : reading.pass + reading.take;
    const items: Item[] = [];
    let from: Record<string, unknown> | undefined;
    do {
      const page = await client.send(
        new QueryCommand({
          TableName: tableName,
          IndexName: tableDefinition.index.name,
          ConsistentRead: true,
          ScanIndexForward: reading.direction === "up",
          KeyConditionExpression: "pk = :pk AND listed BETWEEN :first AND :last",
          ...(range.applicationId !== undefined && { FilterExpression: "applicationId = :application" }),
          ExpressionAttributeValues: {
            ":pk": userKey(user.username).pk,
            ":first": first,
            ":last": last,
            ...(range.applicationId !== undefined && { ":application": range.applicationId }),
          },
          ...(wanted !== undefined && { Limit: limitOf(wanted - items.length, range) }),
          ...(from && { ExclusiveStartKey: from }),
        }),
      );
      for (const record of page.Items ?? []) items.push(itemOf(record as ItemRecord));
      from = page.LastEvaluatedKey;
    } while (from && (wanted === undefined || items.length < wanted));
    return items;
  }

  /** The items that a reading takes, newest first. */
  async function read(user: User, states: readonly ItemState[], range: ListRange, reading: Reading): Promise<Listing> {
    const { direction, pass, take } = reading;
    const lists = await Promise.all(states.map((state) => listState(user, state, range, reading)));
    const found = lists.flat().sort(newestFirst);
    if (direction === "up") found.reverse();
    const items = found.slice(pass, take === undefined ? undefined : pass + take);
    if (direction === "up") items.reverse();
    return { items, isComplete: states.every((state, i) => isComplete(lists[i] ?? [], user, state, range, reading)) };
  }

  /** One transaction; throws what cancelled it. */
  async function writeOnce(list: WritableList, writes: readonly ItemWrite[], now: number): Promise<WritableList> {
    const { username, clock } = list;
    const time = timeOfChange(now, clock);
    const counts = countChanges(writes);
    // Of one second's items some may be written anew; those of a new second are the newest alone.
    const isSameTime = time === clock.changedAt;
    const newest = countChanges(writes, (before) => isSameTime && before.timeUpdated === time);
    const marks = marksAfterWrites(list.marks, writes, time);
    const sets = ["changedAt = :time"];
    const adds = ["countUnread :unread", "countRead :read", "revision :one"];
    if (isSameTime) adds.push("newestUnread :newestUnread", "newestRead :newestRead");
    else sets.push("newestUnread = :newestUnread", "newestRead = :newestRead");
    if (marks.length > 0) sets.push("marks = :marks");
    const conditions = [
      // Without a password the user is being deleted.
      "attribute_exists(passwordHash)",
      "lastSince < :time",
      isSameTime ? "changedAt = :time" : "changedAt < :time",
      marks.length > 0 ? "marks = :seenMarks" : "attribute_not_exists(marks)",
    ];
    const userUpdate = {
      Update: {
        TableName: tableName,
        Key: userKey(username),
        UpdateExpression: `SET ${sets.join(", ")} ADD ${adds.join(", ")}`,
        ConditionExpression: conditions.join(" AND "),
        ExpressionAttributeValues: {
          ":time": time,
          ":unread": counts["0"],
          ":read": counts["1"],
          ":one": 1,
          ":newestUnread": newest["0"],
          ":newestRead": newest["1"],
          ...(marks.length > 0 && { ":marks": marks, ":seenMarks": list.marks }),
        },
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
          Item: { ...itemKey(username, itemId), ...record },
          ...(before
            ? { ConditionExpression: "revision = :seen", ExpressionAttributeValues: { ":seen": before.revision } }
            : { ConditionExpression: "attribute_not_exists(pk)" }),
        },
      };
    });
    await client.send(
      new TransactWriteCommand({ TransactItems: [userUpdate, ...itemPuts], ClientRequestToken: randomUUID() }),
    );
    return { username, clock: { ...clock, changedAt: time }, marks };
  }

  return {
    async find(username, itemIds) {
      const keys = itemIds.map((itemId) => itemKey(username, itemId));
      const records = await readBatch({ client, tableName }, keys);
      return new Map(
        records.map((record) => itemOf(record as unknown as ItemRecord)).map((item) => [item.itemId, item]),
      );
    },

    async list(user, range) {
      const { state, skip, limit } = range;
      const known = countOf(user, state);
      if (skip > 0 && skip >= known) return { items: [], isComplete: true };
      const states: ItemState[] = state === undefined ? ["0", "1"] : [state];
      const parts = await Promise.all(cheapestReadings(user, range).map((each) => read(user, states, range, each)));
      const items = parts.flatMap((part) => part.items);
      // A whole list lacks an item that went from one state to the other between the two queries.
      const isWhole = limit === undefined && !range.after && range.applicationId === undefined;
      return { items, isComplete: parts.every((part) => part.isComplete) && (!isWhole || items.length >= known) };
    },

    async write(list, writes, now) {
      let seen = list;
      for (;;) {
        try {
          return await retryConflicts(() => writeOnce(seen, writes, now));
        } catch (error) {
          if (!(error instanceof TransactionCanceledException)) throw error;
          const [userReason, ...itemReasons] = error.CancellationReasons ?? [];
          if (itemReasons.some((reason) => reason.Code === "ConditionalCheckFailed")) return "stale";
          if (userReason?.Code !== "ConditionalCheckFailed") throw error;
          const record = userReason.Item && (unmarshall(userReason.Item) as UserRecord);
          if (record?.passwordHash === undefined) {
            throw new ServiceError("unauthorized", "username and/or password incorrect");
          }
          seen = userOf(record);
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
