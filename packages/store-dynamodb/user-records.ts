// SPDX-License-Identifier: MIT

import type { UserClock } from "@reading-list/core/domain/user-clock.ts";
import { walkTable } from "./batches.ts";
import type { Table } from "./client.ts";
import { isUserKey, passkeysKey, userKey } from "./keys.ts";
import { transact } from "./optimistic-locking.ts";
import { createSignInStore } from "./sign-ins.ts";
import { changeUser, parseUserRecord, readUserRecord, type UserRecord } from "./users.ts";

/** A user's record, even if the user is being deleted; undefined if it does not exist. */
export async function findUserRecord(table: Table, username: string): Promise<UserRecord | undefined> {
  const record = await readUserRecord(table, username);
  return record && parseUserRecord(record);
}

/** The records of all users, in no order, also of those being deleted. Reads the whole table. */
export async function* walkUsers(table: Table): AsyncGenerator<UserRecord[]> {
  for await (const records of walkTable(table)) {
    yield records.filter(({ sk }) => isUserKey(sk)).map(parseUserRecord);
  }
}

/** Sets the logical clock of a user's record that a restore has brought; false if it does not exist. */
export const setRestoredClock = (table: Table, username: string, clock: UserClock): Promise<boolean> =>
  changeUser(table, username, {
    UpdateExpression: `SET lastSince = :next, highlightsAt = :next, newestHighlights = :none, firstSyncUpTo = :upTo${clock.repaired ? ", repaired = :repaired" : ""}`,
    ConditionExpression: "attribute_exists(pk)",
    ExpressionAttributeValues: {
      ":next": clock.lastSince,
      ":none": 0,
      ":upTo": clock.firstSyncUpTo,
      ...(clock.repaired && { ":repaired": clock.repaired }),
    },
  });

/**
 * Sets a user's password and removes the passkeys, then revokes everything that replaces the password; false if there
 * is no such user. Cached passwords no longer match.
 */
export async function setPasswordHash(table: Table, username: string, passwordHash: string): Promise<boolean> {
  const { tableName: TableName } = table;
  const isSet = await transact(table, [
    {
      Update: {
        TableName,
        Key: userKey(username),
        UpdateExpression: "SET passwordHash = :hash REMOVE isSuspended, hasPasskeys",
        ConditionExpression: "attribute_exists(passwordHash)",
        ExpressionAttributeValues: { ":hash": passwordHash },
      },
    },
    { Delete: { TableName, Key: passkeysKey(username) } },
  ]);
  if (!isSet) return false;
  const signIns = createSignInStore(table);
  for (const { id, scope } of await signIns.list(username)) {
    if (scope === "fresh") await signIns.remove(username, id);
  }
  return true;
}
