// SPDX-License-Identifier: MIT

import { retries } from "@reading-list/core/call-scope.ts";
import { ListCounts } from "@reading-list/core/domain/list-counts.ts";
import type { ExaminedList as CountedList } from "@reading-list/core/operator-ports.ts";
import { walkPartition, walkTable } from "./batches.ts";
import type { Table } from "./client.ts";
import { itemOf } from "./item-records.ts";
import { isItemKey, isUserKey, itemPrefix, userKey } from "./keys.ts";
import { findUserRecord } from "./user-records.ts";
import { changeUser, parseUserRecord, type UserRecord } from "./users.ts";

interface ExaminedList extends CountedList {
  counts: ListCounts;
}

/**
 * Counts a list that does not change meanwhile; undefined if there is no such user, the user is being deleted or moved,
 * or the list never stops changing.
 */
async function examineList(table: Table, username: string): Promise<ExaminedList | undefined> {
  for await (const _ of retries()) {
    const record = await findUserRecord(table, username);
    if (record?.passwordHash === undefined) return undefined;
    const counts = new ListCounts();
    for await (const records of walkPartition(table, userKey(username).pk, itemPrefix)) {
      for (const item of records) counts.add(itemOf(item));
    }
    const after = await findUserRecord(table, username);
    if (after?.revision !== record.revision || after.userId !== record.userId) continue;
    return { record, counts, isDrifted: counts.differFrom(record) };
  }
  return undefined;
}

/**
 * Corrects the counts of a user's record, on the condition that the list has not changed meanwhile. Returns the list as
 * it was, or undefined as `examineList` does.
 */
export async function recountList(table: Table, username: string): Promise<ExaminedList | undefined> {
  for await (const _ of retries()) {
    const examined = await examineList(table, username);
    if (!examined?.isDrifted) return examined;
    const { record, counts } = examined;
    const attributes = Object.entries(counts.attributesAt(record.changedAt));
    const isWritten = await changeUser(table, username, {
      UpdateExpression: `SET ${attributes.map(([name]) => `${name} = :${name}`).join(", ")}`,
      ConditionExpression: "revision = :revision AND attribute_exists(passwordHash) AND userId = :userId",
      ExpressionAttributeValues: {
        ":revision": record.revision,
        ":userId": record.userId,
        ...Object.fromEntries(attributes.map(([name, count]) => [`:${name}`, count])),
      },
    });
    if (isWritten) return examined;
  }
  return undefined;
}

/** The names of users whose lists have drifted. Reads the whole table once. */
export async function* findDriftedUsers(table: Table): AsyncGenerator<string> {
  const counts = new Map<unknown, ListCounts>();
  const users: UserRecord[] = [];
  for await (const records of walkTable(table)) {
    for (const record of records) {
      if (isUserKey(record.sk)) users.push(parseUserRecord(record));
      if (!isItemKey(record.sk)) continue;
      const list = counts.get(record.pk) ?? new ListCounts();
      counts.set(record.pk, list);
      list.add(itemOf(record));
    }
  }
  for (const user of users) {
    const list = counts.get(userKey(user.username).pk) ?? new ListCounts();
    // The scan is not a snapshot: a list that changed meanwhile is counted again.
    if (list.differFrom(user) && (await examineList(table, user.username))?.isDrifted) yield user.username;
  }
}
