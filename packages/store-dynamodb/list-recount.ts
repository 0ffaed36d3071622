// SPDX-License-Identifier: MIT

import { retries } from "@reading-list/core/call-scope.ts";
import { driftedTotals, ListCounts } from "@reading-list/core/domain/list-counts.ts";
import type { ExaminedList } from "@reading-list/core/ports/operator.ts";
import { walkPartition, walkTable } from "./batches.ts";
import type { Table } from "./client.ts";
import { parseItem } from "./item-records.ts";
import { articlePrefix, highlightPrefix, isItemKey, isUserKey, itemPrefix, userKey } from "./keys.ts";
import { findUserRecord } from "./user-records.ts";
import { changeUser, parseUserRecord, type UserRecord } from "./users.ts";

/** A counted list, and all counts of its record. */
interface CountedList {
  examined: ExaminedList;
  counts: ListCounts;
}

/** Counts a record if a user's record counts its kind. */
function countRecord(counts: ListCounts, record: Record<string, unknown>): void {
  const sk = String(record.sk);
  if (isItemKey(sk)) counts.add(parseItem(record));
  else if (sk.startsWith(articlePrefix)) counts.addArticle(Number(record.bytes));
  // Tombstones are not in the index of the highlights of an item.
  else if (sk.startsWith(highlightPrefix) && record.unread !== undefined) counts.addHighlight(String(record.userId));
}

const countedPrefixes = [itemPrefix, articlePrefix, highlightPrefix];

/**
 * Counts a list that does not change meanwhile; undefined if there is no such user, the user is being deleted or moved,
 * or the list never stops changing.
 */
async function examineList(table: Table, username: string): Promise<CountedList | undefined> {
  for await (const _ of retries()) {
    const record = await findUserRecord(table, username);
    if (record?.passwordHash === undefined) return undefined;
    const counts = new ListCounts();
    for (const prefix of countedPrefixes) {
      for await (const records of walkPartition(table, userKey(username).pk, prefix)) {
        for (const each of records) countRecord(counts, each);
      }
    }
    const after = await findUserRecord(table, username);
    // An article changes only its counts.
    const isSame = after?.revision === record.revision && after.userId === record.userId;
    if (!isSame || driftedTotals(after, record).length > 0) continue;
    const examined = { record, counts: counts.findCounts(record.userId), isDrifted: counts.differFrom(record) };
    return { examined, counts };
  }
  return undefined;
}

/**
 * Corrects the counts of a user's record, on the condition that the list has not changed meanwhile. Returns the list as
 * it was, or undefined as `examineList` does.
 */
export async function recountList(table: Table, username: string): Promise<ExaminedList | undefined> {
  for await (const _ of retries()) {
    const counted = await examineList(table, username);
    if (!counted?.examined.isDrifted) return counted?.examined;
    const { record } = counted.examined;
    const attributes = Object.entries(counted.counts.findAttributes(record));
    const isWritten = await changeUser(table, username, {
      UpdateExpression: `SET ${attributes.map(([name]) => `${name} = :${name}`).join(", ")}`,
      ConditionExpression: `revision = :revision AND attribute_exists(passwordHash) AND userId = :userId
        AND (attribute_not_exists(articleBytes) OR articleBytes = :bytesBefore)`,
      ExpressionAttributeValues: {
        ":revision": record.revision,
        ":userId": record.userId,
        ":bytesBefore": record.articleBytes,
        ...Object.fromEntries(attributes.map(([name, count]) => [`:${name}`, count])),
      },
    });
    if (isWritten) return counted.examined;
  }
  return undefined;
}

/** The lists that have drifted. Reads the whole table once. */
export async function* findDriftedLists(table: Table): AsyncGenerator<ExaminedList> {
  const counts = new Map<unknown, ListCounts>();
  const users: UserRecord[] = [];
  for await (const records of walkTable(table)) {
    for (const record of records) {
      if (isUserKey(record.sk)) users.push(parseUserRecord(record));
      const list = counts.get(record.pk) ?? new ListCounts();
      if (countedPrefixes.some((prefix) => String(record.sk).startsWith(prefix))) counts.set(record.pk, list);
      countRecord(list, record);
    }
  }
  for (const user of users) {
    const list = counts.get(userKey(user.username).pk) ?? new ListCounts();
    if (!list.differFrom(user)) continue;
    // The scan is not a snapshot: a list that changed meanwhile is counted again.
    const counted = await examineList(table, user.username);
    if (counted?.examined.isDrifted) yield counted.examined;
  }
}
