// SPDX-License-Identifier: MIT

import { randomUUID } from "node:crypto";
import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { PutCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { count } from "@reading-list/core/call-scope.ts";
import type { BatchStep } from "@reading-list/core/domain/batch-progress.ts";
import type { Item, ItemWrite } from "@reading-list/core/domain/item.ts";
import { planListWrite } from "@reading-list/core/domain/list-write.ts";
import { startOfDay } from "@reading-list/core/domain/sign-in.ts";
import { wrongCredentials } from "@reading-list/core/errors.ts";
import type { WritableList, WriteOutcome } from "@reading-list/core/ports/items.ts";
import type { Table } from "./client.ts";
import { storedChangeKey, writeRecord } from "./item-records.ts";
import { planKeeping } from "./keeping-list.ts";
import { userKey } from "./keys.ts";
import { retryConflicts } from "./optimistic-locking.ts";
import { toTrashRecords } from "./trash.ts";
import { parseUser, type StoredUser } from "./users.ts";

/** Actions of one transaction. */
const maxActions = 100;

/** The list with the facts from `StoredUser`; without them, it is listed again. */
type Listed = WritableList & Partial<Pick<StoredUser, "trashDay" | "keepingAt">>;

/** Whether pages enter or leave the list, so that the keeper has work. */
const movesPages = (writes: readonly ItemWrite[]) =>
  writes.some(({ before, after }) => !before || before.isDeleted !== after.isDeleted);

/**
 * The condition that an item has not changed, and that it was not given a number or its first highlight, which the write
 * would forget. A purge keeps the change key.
 */
const ifAsSeen = (before: Item) => ({
  ConditionExpression: `changed = :seen AND ${before.number === undefined ? "attribute_not_exists(itemNumber)" : "itemNumber = :number"}${
    before.trashedState === undefined ? "" : " AND attribute_exists(trash)"
  }${before.hasHighlights ? "" : " AND attribute_not_exists(marked)"}`,
  ExpressionAttributeValues: {
    ":seen": storedChangeKey(before),
    ...(before.number !== undefined && { ":number": before.number }),
  },
});

/** One transaction; throws the error that cancelled it. */
async function writeOnce(
  { client, tableName }: Table,
  list: Listed,
  writes: readonly ItemWrite[],
  now: number,
  step: BatchStep | undefined,
): Promise<Listed> {
  const { username, userId } = list;
  const plan = planListWrite(list, writes, now, step);
  const { items, after, counts, newest, isNewTime, isBackdated, deletedAt } = plan;
  const { changedAt, highlightsAt } = after.clock;
  const isNewHighlightTime = highlightsAt !== list.clock.highlightsAt;
  const trashDay = deletedAt === undefined ? list.trashDay : startOfDay(deletedAt);
  const listings = trashDay === list.trashDay ? [] : toTrashRecords(list, items);
  const keeping = movesPages(writes) ? planKeeping(tableName, list, now) : undefined;
  // Same second as the last change: adjust the counts of the newest items. New second: these writes are all of it.
  const newestUpdates = isNewTime ? "ADD" : "ADD newestUnread :nu, newestRead :nr, newestDeleted :nd,";
  const sets = [
    "changedAt = :time",
    ...(isNewTime ? ["newestUnread = :nu", "newestRead = :nr", "newestDeleted = :nd"] : []),
    ...(deletedAt === undefined ? [] : ["deletedAt = :time"]),
    ...(isNewHighlightTime ? ["highlightsAt = :highlightsAt", "newestHighlights = :none"] : []),
    ...(plan.bringsHighlights ? ["toldAt = :time"] : []),
    ...(listings.length > 0 ? ["trashDay = :trashDay"] : []),
    ...(isBackdated ? ["importedAt = :now"] : []),
    ...(keeping?.sets ?? []),
    ...(step ? ["unfinished = :unfinished"] : []),
  ];
  const userUpdate = {
    Update: {
      TableName: tableName,
      Key: userKey(username),
      UpdateExpression: [
        `SET ${sets.join(", ")}`,
        `${newestUpdates} countUnread :unread, countRead :read, revision :one`,
      ].join(" "),
      ConditionExpression: [
        // A user without a password hash is being deleted.
        "attribute_exists(passwordHash)",
        "userId = :userId",
        "revision = :revision",
        ...(keeping ? [keeping.condition] : []),
        // Times in the past are for a list that was never synced.
        ...(items.length > 0 ? [`lastSince < ${isBackdated ? ":one" : ":time"}`] : []),
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
        ...(isNewHighlightTime && { ":highlightsAt": highlightsAt, ":none": 0 }),
        ...(isBackdated && { ":now": now }),
        ...(step && { ":unfinished": after.unfinished }),
        ...(listings.length > 0 && { ":trashDay": trashDay }),
        ...keeping?.values,
      },
      ReturnValuesOnConditionCheckFailure: "ALL_OLD" as const,
    },
  };
  const itemPuts = writes.map(({ before }, position) => ({
    Put: {
      TableName: tableName,
      Item: writeRecord(username, items[position] as Item),
      ...(before ? ifAsSeen(before) : { ConditionExpression: "attribute_not_exists(pk)" }),
    },
  }));
  const TransactItems = [userUpdate, ...itemPuts];
  const puts = [...listings.map((Item) => ({ Put: { TableName: tableName, Item } })), ...(keeping?.puts ?? [])];
  for (const put of puts) {
    // If the transaction has no room for it, it comes first: the users in the list must be found, and an extra entry
    // does no harm.
    if (TransactItems.length < maxActions) TransactItems.push(put as never);
    else await client.send(new PutCommand(put.Put));
  }
  await client.send(new TransactWriteCommand({ TransactItems, ClientRequestToken: randomUUID() }));
  return { username, userId, ...after, trashDay, keepingAt: keeping?.keepingAt ?? list.keepingAt };
}

/** Writes with optimistic locking of the user's record. */
export async function writeItems(
  table: Table,
  list: WritableList,
  writes: readonly ItemWrite[],
  now: number,
  step: BatchStep | undefined,
): Promise<WriteOutcome> {
  let seen = list;
  const tryOnce = async (): Promise<WriteOutcome | undefined> => {
    try {
      return { kind: "written", list: await writeOnce(table, seen, writes, now, step) };
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw error;
      const [userReason, ...itemReasons] = error.CancellationReasons ?? [];
      const isStale = itemReasons.some((reason) => reason.Code === "ConditionalCheckFailed");
      const isMoved = userReason?.Code === "ConditionalCheckFailed";
      if (!isStale && !isMoved) throw error;
      if (isMoved) {
        const record = userReason.Item && unmarshall(userReason.Item);
        if (record?.passwordHash === undefined || record.userId !== list.userId) throw wrongCredentials();
        seen = parseUser(record);
      }
      if (isStale) return { kind: "stale", list: seen };
      count("conflictsRetried");
      return undefined;
    }
  };
  // After a backoff `seen` is old: the first attempt fails and returns the current record; the second uses it.
  return retryConflicts(async () => (await tryOnce()) ?? (await tryOnce()));
}
