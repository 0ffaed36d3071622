import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import type { User } from "@reading-list/core/ports.ts";
import { deleteBatch, walkPartition, walkTable } from "./batches.ts";
import type { Table } from "./client.ts";
import { isUserKey, itemPrefix, loginAttemptsKey, numberPrefix, signInPrefix, userKey } from "./keys.ts";
import { changeUser, completeRecord, parseUserRecord, readUserRecord, type UserRecord, userOf } from "./users.ts";

/** A user's record, also if the user is being deleted; undefined if there is none. */
export async function findUserRecord(table: Table, username: string): Promise<UserRecord | undefined> {
  const record = await readUserRecord(table, username);
  return record && parseUserRecord(record);
}

/** A user whose list an operator's command will write; undefined if there is none, or the user is being deleted. */
export async function findWritableUser(table: Table, username: string): Promise<User | undefined> {
  const record = await readUserRecord(table, username);
  return record?.passwordHash === undefined ? undefined : userOf(await completeRecord(table, username, record));
}

/** The records of all users, in no order, also of those being deleted. Reads the whole table. */
export async function* walkUsers(table: Table): AsyncGenerator<UserRecord[]> {
  for await (const records of walkTable(table)) {
    yield records.filter(({ sk }) => isUserKey(sk)).map(parseUserRecord);
  }
}

/** Sets a user's password; false if there is no such user. Cached passwords no longer match. */
export function setPasswordHash(table: Table, username: string, passwordHash: string): Promise<boolean> {
  return changeUser(table, username, {
    UpdateExpression: "SET passwordHash = :hash",
    ConditionExpression: "attribute_exists(passwordHash)",
    ExpressionAttributeValues: { ":hash": passwordHash },
  });
}

/**
 * Begins the deletion of a user, or continues an interrupted one: from then on nobody can log in with that name or
 * register it, and the writes of calls under way fail. False if there is no such user.
 */
export function beginDeletion(table: Table, username: string, now: number): Promise<boolean> {
  return changeUser(table, username, {
    UpdateExpression: "SET deletingSince = if_not_exists(deletingSince, :now) REMOVE passwordHash",
    ConditionExpression: "attribute_exists(pk)",
    ExpressionAttributeValues: { ":now": now },
  });
}

/** Deletes all items of a user; returns the number in each batch. */
export async function* deleteItems(table: Table, username: string): AsyncGenerator<number> {
  yield* deletePartition(table, userKey(username).pk, itemPrefix);
  for await (const _ of deletePartition(table, userKey(username).pk, numberPrefix));
}

/** Deletes the app passwords and OAuth sign-ins of a user; returns the number in each batch. */
export function deleteSignIns(table: Table, username: string): AsyncGenerator<number> {
  return deletePartition(table, userKey(username).pk, signInPrefix);
}

/** Deletes the login attempts for a user, which ends lockouts; returns the number in each batch. */
export function deleteLoginAttempts(table: Table, username: string): AsyncGenerator<number> {
  return deletePartition(table, loginAttemptsKey(username, "").pk);
}

/** Records deleted between two reports of progress. */
const reportEvery = 200;

async function* deletePartition(table: Table, pk: string, prefix?: string): AsyncGenerator<number> {
  for await (const keys of walkPartition(table, pk, prefix, true)) {
    for (let start = 0; start < keys.length; start += reportEvery) {
      const batch = keys.slice(start, start + reportEvery) as Record<string, string>[];
      await deleteBatch(table, batch);
      yield batch.length;
    }
  }
}

/** Ends a deletion that was begun, when nothing else of the user is left: the name is free then. */
export async function endDeletion({ client, tableName }: Table, username: string): Promise<void> {
  await client.send(
    new DeleteCommand({
      TableName: tableName,
      Key: userKey(username),
      ConditionExpression: "attribute_not_exists(pk) OR attribute_exists(deletingSince)",
    }),
  );
}
