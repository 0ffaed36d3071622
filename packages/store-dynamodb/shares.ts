// SPDX-License-Identifier: MIT

import { byCreation, maxShares, type Share } from "@reading-list/core/domain/share.ts";
import { wrongCredentials } from "@reading-list/core/errors.ts";
import type { ShareStore } from "@reading-list/core/ports/shares.ts";
import type { ClosedUser } from "@reading-list/core/ports/users.ts";
import { walkPartition } from "./batches.ts";
import { readRecord, type Table } from "./client.ts";
import { sharedKey, shareKey, sharePrefix, userKey } from "./keys.ts";
import { transact } from "./optimistic-locking.ts";
import { readUserRecord } from "./users.ts";

function parseShare(record: Record<string, unknown>): Share {
  const { pk: _, sk: __, ...share } = record;
  return { expiresAt: undefined, ...share } as Share;
}

/**
 * The shares of users (docs/data.md 1.16). Each is a record of its user, with the `userId`: the name may get another user.
 * A second record finds it by its token.
 */
export function createShareStore(table: Table): ShareStore {
  const { tableName: TableName } = table;

  async function list({ username, userId }: ClosedUser): Promise<Share[]> {
    const shares: Share[] = [];
    for await (const records of walkPartition(table, userKey(username).pk, sharePrefix)) {
      shares.push(...records.map(parseShare).filter((share) => share.userId === userId));
    }
    return shares.sort(byCreation);
  }

  async function find({ username, userId }: ClosedUser, id: string): Promise<Share | undefined> {
    const record = await readRecord(table, shareKey(username, id));
    return record?.userId === userId ? parseShare(record) : undefined;
  }

  const ifOwn = (userId: string) => ({
    ConditionExpression: "userId = :userId",
    ExpressionAttributeValues: { ":userId": userId },
  });

  return {
    list,

    async add(user, share) {
      const { username, userId } = user;
      if ((await list(user)).length >= maxShares) return false;
      const isAdded = await transact(table, [
        {
          ConditionCheck: {
            TableName,
            Key: userKey(username),
            ConditionExpression: "userId = :userId AND attribute_exists(passwordHash)",
            ExpressionAttributeValues: { ":userId": userId },
          },
        },
        { Put: { TableName, Item: { ...shareKey(username, share.id), ...share } } },
        {
          Put: {
            TableName,
            Item: { ...sharedKey(share.token), username, userId, id: share.id },
            ConditionExpression: "attribute_not_exists(pk)",
          },
        },
      ]);
      if (isAdded) return true;
      const record = await readUserRecord(table, username);
      if (record?.userId !== userId || record.passwordHash === undefined) throw wrongCredentials();
      throw new Error("the token of a new share is taken");
    },

    async find(token) {
      const named = await readRecord(table, sharedKey(token));
      if (!named) return undefined;
      const user = { username: String(named.username), userId: String(named.userId) };
      const share = await find(user, String(named.id));
      return share && { username: user.username, share };
    },

    replace: ({ username, userId }, share) =>
      transact(table, [{ Put: { TableName, Item: { ...shareKey(username, share.id), ...share }, ...ifOwn(userId) } }]),

    async remove(user, id) {
      const share = await find(user, id);
      if (!share) return false;
      return transact(table, [
        { Delete: { TableName, Key: shareKey(user.username, id), ...ifOwn(user.userId) } },
        { Delete: { TableName, Key: sharedKey(share.token) } },
      ]);
    },
  };
}
