// SPDX-License-Identifier: MIT

import { deleteBatch, walkTable } from "./batches.ts";
import type { Table } from "./client.ts";
import { isUserKey, signInKey } from "./keys.ts";
import { changeUser, parseUserRecord, readUserRecord, type UserRecord, userOf } from "./users.ts";

/** A user's record, also if the user is being deleted; undefined if there is none. */
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

/**
 * Sets a user's password, and ends what stands for it; false if there is no such user. Cached passwords no longer match.
 */
export async function setPasswordHash(table: Table, username: string, passwordHash: string): Promise<boolean> {
  const { signIns } = userOf((await readUserRecord(table, username)) ?? {});
  const fresh = Object.entries(signIns).filter(([, { scope }]) => scope === "fresh");
  const names = fresh.map(([hash], i) => [`#fresh${i}`, hash]);
  const isDone = await changeUser(table, username, {
    UpdateExpression: `SET passwordHash = :hash${names.length > 0 ? ` REMOVE ${names.map(([name]) => `signIns.${name}`).join(", ")}` : ""}`,
    ConditionExpression: "attribute_exists(passwordHash)",
    ExpressionAttributeValues: { ":hash": passwordHash },
    ...(names.length > 0 && { ExpressionAttributeNames: Object.fromEntries(names) }),
  });
  // A record that is left is not shown, and gives no access.
  if (isDone)
    await deleteBatch(
      table,
      fresh.map(([, { id = "" }]) => signInKey(username, id)),
    );
  return isDone;
}
