import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { DeleteCommand, GetCommand } from "@aws-sdk/lib-dynamodb";
import { deleteBatch, walkPartition } from "./batches.ts";
import type { Table } from "./client.ts";
import { guessKey, itemPrefix, userKey } from "./keys.ts";
import { changeUserRecord, type UserRecord } from "./users.ts";

/** What an operator does to the records of a user. */

/** A user's record, also where the user is being deleted; undefined where there is none. */
export async function findUserRecord({ client, tableName }: Table, username: string): Promise<UserRecord | undefined> {
  const { Item } = await client.send(
    new GetCommand({ TableName: tableName, Key: userKey(username), ConsistentRead: true }),
  );
  return Item as UserRecord | undefined;
}

/** Changes a user's record; false where the condition does not hold. */
async function changeUser(
  table: Table,
  username: string,
  update: Parameters<typeof changeUserRecord>[2],
): Promise<boolean> {
  try {
    await changeUserRecord(table, username, update);
    return true;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return false;
  }
}

/** Gives a user another password; false where there is no such user. Passwords that functions remember end with it. */
export function setPasswordHash(table: Table, username: string, passwordHash: string): Promise<boolean> {
  return changeUser(table, username, {
    UpdateExpression: "SET passwordHash = :hash",
    ConditionExpression: "attribute_exists(passwordHash)",
    ExpressionAttributeValues: { ":hash": passwordHash },
  });
}

/**
 * Begins the deletion of a user, or goes on with one that was interrupted: from here on nobody can log in under that
 * name or register it, and calls under way write no item any more. False where there is no such user.
 */
export function beginDeletion(table: Table, username: string, now: number): Promise<boolean> {
  return changeUser(table, username, {
    UpdateExpression: "SET deletingSince = if_not_exists(deletingSince, :now) REMOVE passwordHash",
    ConditionExpression: "attribute_exists(pk)",
    ExpressionAttributeValues: { ":now": now },
  });
}

/** Deletes all items of a user; gives the number of each batch. */
export function deleteItems(table: Table, username: string): AsyncGenerator<number> {
  return deletePartition(table, userKey(username).pk, itemPrefix);
}

/** Forgets the wrong passwords that were tried for a user; gives the number of each batch. */
export function deleteGuesses(table: Table, username: string): AsyncGenerator<number> {
  return deletePartition(table, guessKey(username, "").pk);
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
