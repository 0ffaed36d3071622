import { randomUUID } from "node:crypto";
import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { QueryCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { count } from "@reading-list/core/call-scope.ts";
import type { Item, ItemState, ItemWrite } from "@reading-list/core/domain/item.ts";
import { cheapestReadings, countOf, type ListRange, type Reading } from "@reading-list/core/domain/page-cursor.ts";
import { isUnsynced, timeOfChange } from "@reading-list/core/domain/user-clock.ts";
import { wrongCredentials } from "@reading-list/core/errors.ts";
import {
  type BatchProgress,
  type ItemStore,
  type Listing,
  type User,
  type WritableList,
  type WriteOutcome,
  writesAtOnce,
} from "@reading-list/core/ports.ts";
import { readBatch } from "./batches.ts";
import type { Table } from "./client.ts";
import { type ItemRecord, itemOf, kindOf, recordOf, storedKeyOf } from "./item-records.ts";
import { changeKey, deletedPrefix, firstKeyAfter, itemKey, keyBefore, lastKeyUpTo, listEnd, userKey } from "./keys.ts";
import { retryConflicts } from "./optimistic-locking.ts";
import { tableDefinition } from "./table-definition.ts";
import { userOf } from "./users.ts";

const { byTime, unread } = tableDefinition.indexes;

/** A write with the time that its item gets. */
type TimedWrite = ItemWrite & { timeUpdated: number };

/**
 * How the number of items of each kind changes with these writes: of all items, or of those with the time `at`, of
 * which the list has none yet if it `isNew`.
 */
function countChanges(writes: readonly TimedWrite[], at?: { time: number; isNew: boolean }) {
  const changes: Record<keyof User["newest"], number> = { unread: 0, read: 0, deleted: 0 };
  for (const { before, after, timeUpdated } of writes) {
    if (!at || timeUpdated === at.time) changes[kindOf(after)] += 1;
    if (before && (!at || (!at.isNew && before.timeUpdated === at.time))) changes[kindOf(before)] -= 1;
  }
  return changes;
}

/** The items' records and their two indexes (docs/data.md). */
export function createItemStore({ client, tableName }: Table): ItemStore {
  /** A page of an index between two keys, both inclusive; at most `limit` items looked at. */
  async function queryOnce(
    username: string,
    index: typeof byTime | typeof unread,
    bounds: { first: string; last: string; isUpwards: boolean; readOnly: boolean },
    limit: number | undefined,
    from: Record<string, unknown> | undefined,
  ) {
    const { Items = [], LastEvaluatedKey } = await client.send(
      new QueryCommand({
        TableName: tableName,
        IndexName: index.name,
        ConsistentRead: true,
        ScanIndexForward: bounds.isUpwards,
        KeyConditionExpression: `pk = :pk AND ${index.sortKey} BETWEEN :first AND :last`,
        ...(bounds.readOnly && { FilterExpression: `attribute_not_exists(${unread.sortKey})` }),
        ProjectionExpression: "sk, changed, unread, page",
        ExpressionAttributeValues: { ":pk": userKey(username).pk, ":first": bounds.first, ":last": bounds.last },
        ...(limit !== undefined && { Limit: limit }),
        ...(from && { ExclusiveStartKey: from }),
      }),
    );
    return { items: Items.map((record) => itemOf(record as ItemRecord)), from: LastEvaluatedKey };
  }

  /** The items that a reading skips and takes, in its direction. */
  async function query(user: User, range: ListRange, { direction, from, pass, take }: Reading): Promise<Listing> {
    const { state, after, upTo, applicationId } = range;
    const bounds = {
      first: after === undefined ? "0" : firstKeyAfter(after),
      last: upTo === undefined ? listEnd : lastKeyUpTo(upTo),
      isUpwards: direction === "up",
      readOnly: state === "1",
    };
    if (from !== undefined && direction === "down") bounds.last = keyBefore(from);
    if (from !== undefined && direction === "up") bounds.first = from;
    const isFromTop = direction === "down" && from === undefined;
    const wanted = take === undefined ? Number.POSITIVE_INFINITY : pass + take;
    const newest = isFromTop ? newestOf(user, state) : 0;
    const toLookAt = Math.max(wanted, Math.min(newest, writesAtOnce));
    const looked: Item[] = [];
    let found: Item[] = looked;
    let position: Record<string, unknown> | undefined;
    // Each further query reads twice as many items, because a filter may match few.
    for (let factor = 1; ; factor *= 2) {
      const limit = itemsToLookAt(toLookAt - found.length, user, range) * factor;
      const page = await queryOnce(
        user.username,
        state === "0" ? unread : byTime,
        bounds,
        limit < itemsPerQuery ? limit : undefined,
        position,
      );
      looked.push(...page.items);
      if (applicationId !== undefined) found = looked.filter((item) => item.applicationId === applicationId);
      position = page.from;
      if (!position || (found.length >= wanted && looked.length >= toLookAt)) break;
    }
    const items = found.slice(pass, take === undefined ? undefined : pass + take);
    return {
      items: direction === "up" ? items.reverse() : items,
      isSettled:
        hasNewest(user, newest, looked, !position) &&
        // Without other conditions the record has the number of items.
        (isFromTop || after !== undefined || take === undefined || items.length >= take),
    };
  }

  /** The tombstones of a range of time. */
  async function listDeleted(user: User, after: number, upTo: number | undefined): Promise<Listing> {
    const bounds = {
      first: deletedPrefix + firstKeyAfter(after),
      last: deletedPrefix + (upTo === undefined ? listEnd : lastKeyUpTo(upTo)),
      isUpwards: false,
      readOnly: false,
    };
    const items: Item[] = [];
    let position: Record<string, unknown> | undefined;
    do {
      const page = await queryOnce(user.username, byTime, bounds, undefined, position);
      items.push(...page.items);
      position = page.from;
    } while (position);
    return { items, isSettled: hasNewest(user, user.newest.deleted, items, true) };
  }

  /**
   * Whether all items are visible that the newest change has removed from a list: until then the list still shows them
   * as they were, although the response's `since` is not below the change.
   */
  async function areRemovalsVisible(user: User, { state, after }: ListRange): Promise<boolean> {
    const before = user.clock.changedAt - 1;
    const newest = { state: undefined, applicationId: undefined, after: before, skip: 0, limit: writesAtOnce };
    const listings = await Promise.all([
      ...(newestOf(user, undefined) > newestOf(user, state)
        ? [query(user, newest, { direction: "down", from: undefined, pass: 0, take: writesAtOnce })]
        : []),
      ...(after === undefined && user.newest.deleted > 0 ? [listDeleted(user, before, undefined)] : []),
    ]);
    return listings.every(({ isSettled }) => isSettled);
  }

  /** One transaction; throws the error that cancelled it. */
  async function writeOnce(
    list: WritableList,
    writes: readonly ItemWrite[],
    now: number,
    progress: BatchProgress | undefined,
  ): Promise<WritableList> {
    const { username, userId, clock } = list;
    const time = timeOfChange(now, clock);
    const timed = writes.map((each): TimedWrite => {
      const original = isUnsynced(clock) ? each.original?.timeUpdated : undefined;
      return { ...each, timeUpdated: Math.min(original ?? time, time) };
    });
    const isBackdated = timed.some(({ timeUpdated }) => timeUpdated < time);
    const revision = list.revision + 1;
    const counts = countChanges(timed);
    const changedAt = Math.max(clock.changedAt, ...timed.map(({ timeUpdated }) => timeUpdated));
    // Same second as the last change: adjust the counts of the newest items. New second: these writes are all of it.
    const isSameTime = changedAt === clock.changedAt;
    const newest = countChanges(timed, { time: changedAt, isNew: !isSameTime });
    const newestUpdates = isSameTime ? "ADD newestUnread :nu, newestRead :nr, newestDeleted :nd," : "ADD";
    const sets = [
      "changedAt = :time",
      ...(isSameTime ? [] : ["newestUnread = :nu", "newestRead = :nr", "newestDeleted = :nd"]),
      ...(newest.deleted > 0 ? ["deletedAt = :time"] : []),
      ...(isBackdated ? ["importedAt = :now"] : []),
      ...(progress ? ["unfinished = :progress"] : []),
    ];
    const userUpdate = {
      Update: {
        TableName: tableName,
        Key: userKey(username),
        UpdateExpression: [
          `SET ${sets.join(", ")}`,
          `${newestUpdates} countUnread :unread, countRead :read, revision :one`,
          ...(progress ? [] : ["REMOVE unfinished"]),
        ].join(" "),
        ConditionExpression: [
          // A user without a password hash is being deleted.
          "attribute_exists(passwordHash)",
          "userId = :userId",
          "revision = :revision",
          // Times in the past are for a list that was never synced.
          `lastSince < ${isBackdated ? ":one" : ":time"}`,
        ].join(" AND "),
        ExpressionAttributeValues: {
          ":userId": userId,
          ":time": changedAt,
          ":revision": list.revision,
          ":one": 1,
          ":unread": counts.unread,
          ":read": counts.read,
          ":nu": newest.unread,
          ":nr": newest.read,
          ":nd": newest.deleted,
          ...(isBackdated && { ":now": now }),
          ...(progress && { ":progress": progress }),
        },
        ReturnValuesOnConditionCheckFailure: "ALL_OLD" as const,
      },
    };
    const itemPuts = timed.map(({ before, after, original, timeUpdated }, position) => ({
      Put: {
        TableName: tableName,
        Item: recordOf(username, {
          ...after,
          timeAdded: before && !before.isDeleted ? before.timeAdded : Math.min(original?.timeAdded ?? time, time),
          timeUpdated,
          changeKey: changeKey(timeUpdated, revision, position),
        }),
        ...(before
          ? {
              ConditionExpression: "changed = :seen",
              ExpressionAttributeValues: { ":seen": storedKeyOf(before) },
            }
          : { ConditionExpression: "attribute_not_exists(pk)" }),
      },
    }));
    await client.send(
      new TransactWriteCommand({ TransactItems: [userUpdate, ...itemPuts], ClientRequestToken: randomUUID() }),
    );
    return { username, userId, clock: { ...clock, changedAt }, revision };
  }

  /** Writes with optimistic locking of the user's record. */
  function write(
    list: WritableList,
    writes: readonly ItemWrite[],
    now: number,
    progress: BatchProgress | undefined,
  ): Promise<WriteOutcome> {
    let seen = list;
    const tryOnce = async (): Promise<WriteOutcome | undefined> => {
      try {
        return { kind: "written", list: await writeOnce(seen, writes, now, progress) };
      } catch (error) {
        if (!(error instanceof TransactionCanceledException)) throw error;
        const [userReason, ...itemReasons] = error.CancellationReasons ?? [];
        const isStale = itemReasons.some((reason) => reason.Code === "ConditionalCheckFailed");
        const isMoved = userReason?.Code === "ConditionalCheckFailed";
        if (!isStale && !isMoved) throw error;
        if (isMoved) {
          const record = userReason.Item && unmarshall(userReason.Item);
          if (record?.passwordHash === undefined || record.userId !== list.userId) throw wrongCredentials();
          seen = userOf(record);
        }
        if (isStale) return { kind: "stale", list: seen };
        count("conflictsRetried");
        return undefined;
      }
    };
    // After a backoff `seen` is old: the first attempt fails and returns the current record; the second uses it.
    return retryConflicts(async () => (await tryOnce()) ?? (await tryOnce()));
  }

  const enqueueWrite = createWriteQueues();

  return {
    async find(username, itemIds) {
      const records = await readBatch(
        { client, tableName },
        itemIds.map((itemId) => itemKey(username, itemId)),
      );
      const items = records.map((record) => itemOf(record as unknown as ItemRecord));
      return new Map(items.map((item) => [item.itemId, item]));
    },

    async list(user, range) {
      const { state, skip, after } = range;
      if (after === undefined && skip > 0 && skip >= countOf(user, state)) return { items: [], isSettled: true };
      const readings = cheapestReadings(user, range).map((reading) => query(user, range, reading));
      const [hasRemovals, ...parts] = await Promise.all([skip > 0 || areRemovalsVisible(user, range), ...readings]);
      return {
        items: parts.flatMap((part) => part.items),
        isSettled: hasRemovals && parts.every((part) => part.isSettled),
      };
    },

    listDeleted,

    write: (list, writes, now, progress) =>
      // All writes of a user need the same revision: of concurrent ones, all but one would have to be retried.
      enqueueWrite(list, (latest) => write(latest, writes, now, progress)),
  };
}

/** DynamoDB ends a page after 1 MB anyway. */
const itemsPerQuery = 100_000;
/** A first query reads at least 250 items, because the share of items of one application is unknown. */
const itemsPerFilteredQuery = 250;

/** How many items a query must look at to find so many, if the list were evenly mixed. */
function itemsToLookAt(wanted: number, { countRead, countUnread }: User, { state, applicationId }: ListRange): number {
  const share = state === "1" ? Math.max(countRead / (countRead + countUnread), 0.01) : 1;
  return Math.ceil(Math.max(wanted / share, applicationId === undefined ? 0 : itemsPerFilteredQuery));
}

/** The number of items of the newest change in the list, of one state or of both. */
const newestOf = ({ newest: { unread, read } }: User, state: ItemState | undefined) =>
  (state === "1" ? 0 : unread) + (state === "0" ? 0 : read);

/**
 * Whether a reading found the items of the newest change that the record counts: all of them or, of a part of the list,
 * as many as one transaction writes. DynamoDB makes the items of a transaction visible one by one, some milliseconds
 * after the user's record.
 */
function hasNewest({ clock }: User, counted: number, items: readonly Item[], isAll: boolean): boolean {
  const newest = items.filter(({ timeUpdated }) => timeUpdated >= clock.changedAt).length;
  return newest >= (isAll ? counted : Math.min(counted, writesAtOnce));
}

/** A queue of writes for each user. Each write starts from the list state that the previous one left. */
function createWriteQueues() {
  const lastWrites = new Map<string, Promise<WritableList | undefined>>();
  return async (list: WritableList, write: (latest: WritableList) => Promise<WriteOutcome>): Promise<WriteOutcome> => {
    const { username } = list;
    const before = lastWrites.get(username);
    const outcome = (async () => write(latestOf(list, await before)))();
    const lastWrite = outcome.then(
      (result) => result.list,
      () => undefined,
    );
    lastWrites.set(username, lastWrite);
    try {
      return await outcome;
    } finally {
      if (lastWrites.get(username) === lastWrite) lastWrites.delete(username);
    }
  };
}

/** The newer of two states of a list, which may have been read from its record at different times. */
function latestOf(list: WritableList, other: WritableList | undefined): WritableList {
  if (!other || other.userId !== list.userId) return list;
  const newer = other.revision > list.revision ? other : list;
  const lastSince = Math.max(list.clock.lastSince, other.clock.lastSince);
  return { ...newer, clock: { ...newer.clock, lastSince } };
}

/** All items of a user, oldest change first, a page of the database at a time. */
export async function* walkItems({ client, tableName }: Table, username: string): AsyncGenerator<Item[]> {
  let from: Record<string, unknown> | undefined;
  do {
    const page = await client.send(
      new QueryCommand({
        TableName: tableName,
        IndexName: byTime.name,
        ConsistentRead: true,
        KeyConditionExpression: `pk = :pk AND ${byTime.sortKey} < :end`,
        ExpressionAttributeValues: { ":pk": userKey(username).pk, ":end": listEnd },
        ...(from && { ExclusiveStartKey: from }),
      }),
    );
    yield (page.Items ?? []).map((record) => itemOf(record as ItemRecord));
    from = page.LastEvaluatedKey;
  } while (from);
}
