// SPDX-License-Identifier: MIT

import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { DeleteCommand, PutCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { backupDays } from "@reading-list/core/contract/delete_account.ts";
import { splitList } from "@reading-list/core/domain/split-list.ts";
import { writesAtOnce } from "@reading-list/core/ports/items.ts";
import type { ClosedUser, DeletionStore } from "@reading-list/core/ports/users.ts";
import { deleteBatch, walkPartition } from "./batches.ts";
import type { Table } from "./client.ts";
import { deleteKeepingRecord } from "./keeper-listing.ts";
import {
  deletedKey,
  deletedListing,
  deletionKey,
  deletionListing,
  highlightPrefix,
  identityKey,
  itemPrefix,
  keptPagePrefix,
  loginAttemptsKey,
  numberPrefix,
  passkeysPrefix,
  signInPrefix,
  userKey,
  walkPrefix,
} from "./keys.ts";
import { isFirstConditionFailed, retryConflicts } from "./optimistic-locking.ts";
import { createShareStore } from "./shares.ts";
import { deleteTrashRecords } from "./trash.ts";
import { changeUser, parseUser, parseUserRecord, readUserRecord } from "./users.ts";

/** Seconds after which a deletion that was listed and did not begin never will: its call has ended. */
const abandonedSeconds = 60;

/** The condition that the deletion of a user was begun and not ended. */
const ifClosed = ({ userId }: ClosedUser) => ({
  ConditionExpression: "attribute_exists(deletingSince) AND userId = :userId",
  ExpressionAttributeValues: { ":userId": userId },
});

/**
 * Deletes the records of a user whose sort keys begin with `prefix`; returns the number in each batch. It stops if
 * another process has ended the deletion: the next user with this name may already have records.
 */
export async function* deleteRecords(
  { client, tableName: TableName }: Table,
  user: ClosedUser,
  prefix: string,
): AsyncGenerator<number> {
  const Key = userKey(user.username);
  for await (const keys of walkPartition({ client, tableName: TableName }, Key.pk, prefix, true)) {
    for (const batch of splitList(keys, writesAtOnce)) {
      const TransactItems = [
        { ConditionCheck: { TableName, Key, ...ifClosed(user) } },
        ...batch.map((each) => ({ Delete: { TableName, Key: each } })),
      ];
      const isClosed = await retryConflicts(() =>
        client.send(new TransactWriteCommand({ TransactItems })).then(
          () => true,
          (error) => {
            if (isFirstConditionFailed(error)) return false;
            throw error;
          },
        ),
      );
      if (!isClosed) return;
      yield batch.length;
    }
  }
}

/** The steps of the deletion of a user. */
export function createDeletionStore(table: Table): DeletionStore {
  const { client, tableName: TableName } = table;
  /** Deletes a record if its condition holds. */
  const deleteIf = async (record: Omit<DeleteCommand["input"], "TableName">) => {
    await client.send(new DeleteCommand({ TableName, ...record })).catch((error) => {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    });
  };

  return {
    async beginDeletion({ username, userId, passwordHash }, now) {
      // Listed first: a deletion that was begun must be found, however its call ends.
      await client.send(new PutCommand({ TableName, Item: { ...deletionKey(userId), username, since: now } }));
      const isClosed = await changeUser(table, username, {
        UpdateExpression: "SET deletingSince = if_not_exists(deletingSince, :now) REMOVE passwordHash",
        // The client repeats a request whose answer was lost.
        ConditionExpression: `userId = :userId${
          passwordHash === undefined ? "" : " AND (passwordHash = :hash OR attribute_exists(deletingSince))"
        }`,
        ExpressionAttributeValues: {
          ":now": now,
          ":userId": userId,
          ...(passwordHash !== undefined && { ":hash": passwordHash }),
        },
      });
      if (isClosed) {
        const record = await readUserRecord(table, username);
        if (record?.userId === userId) await deleteKeepingRecord(table, parseUser(record));
        await deleteTrashRecords(table, { username, userId }, now);
      }
      return isClosed;
    },

    async *unfinishedDeletions(now) {
      for await (const listed of walkPartition(table, deletionListing)) {
        for (const { pk, sk, since, username } of listed) {
          const user = { username: String(username), userId: String(sk) };
          const record = await readUserRecord(table, user.username);
          if (record?.userId === user.userId && record.deletingSince !== undefined) yield user;
          else if (Number(since) < now - abandonedSeconds) await deleteIf({ Key: { pk, sk } });
        }
      }
    },

    async *deleteItems(user) {
      yield* deleteRecords(table, user, itemPrefix);
      for await (const _ of deleteRecords(table, user, numberPrefix));
      for await (const _ of deleteRecords(table, user, highlightPrefix));
      for await (const _ of deleteRecords(table, user, keptPagePrefix));
    },

    async *deleteSignIns(user) {
      const { userId } = user;
      const record = parseUserRecord((await readUserRecord(table, user.username)) ?? {});
      for (const [issuer, subject] of Object.entries((record.userId === userId && record.identities) || {})) {
        const ConditionExpression = "userId = :userId";
        const ExpressionAttributeValues = { ":userId": userId };
        await deleteIf({ Key: identityKey({ issuer, subject }), ConditionExpression, ExpressionAttributeValues });
      }
      const shares = createShareStore(table);
      for (const { id } of await shares.list(user)) await shares.remove(user, id);
      yield* deleteRecords(table, user, signInPrefix);
      for await (const _ of deleteRecords(table, user, walkPrefix));
      for await (const _ of deleteRecords(table, user, passkeysPrefix));
    },

    async *deleteLoginAttempts(username) {
      for await (const keys of walkPartition(table, loginAttemptsKey(username, "").pk, undefined, true)) {
        await deleteBatch(table, keys as Record<string, string>[]);
        yield keys.length;
      }
    },

    async endDeletion(user, now) {
      // A restore takes hours: a day more than the backups.
      const Item = { ...deletedKey(user.userId), expires: now + (backupDays + 1) * 86_400 };
      await client.send(new PutCommand({ TableName, Item }));
      await deleteIf({ Key: userKey(user.username), ...ifClosed(user) });
      await deleteIf({ Key: deletionKey(user.userId) });
    },
  };
}

/** The ids of users whose deletion was begun, or has ended within the last 35 days. */
export async function* walkDeletedUsers(table: Table, now: number): AsyncGenerator<string> {
  for await (const { userId } of createDeletionStore(table).unfinishedDeletions(now)) yield userId;
  for await (const listed of walkPartition(table, deletedListing)) for (const { sk } of listed) yield String(sk);
}
