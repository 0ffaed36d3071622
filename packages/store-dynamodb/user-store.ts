// SPDX-License-Identifier: MIT

import { randomUUID } from "node:crypto";
import { PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { UserCalls } from "@reading-list/core/domain/limits.ts";
import type { UserStore } from "@reading-list/core/ports/users.ts";
import { deleteBatch, readKeys } from "./batches.ts";
import { sendOnce, type Table } from "./client.ts";
import { countCall } from "./count-call.ts";
import { signInPrefix, userKey } from "./keys.ts";
import { retryConflicts } from "./optimistic-locking.ts";
import { PendingCalls } from "./pending-calls.ts";
import {
  changeUser,
  initialAttributes,
  parseUser,
  readUserRecord,
  recordThatFailed,
  type UserRecord,
  updateUserRecord,
} from "./users.ts";

/** The users' records (docs/data.md 1.1) and their logical clocks (docs/data.md 4). */
export function createUserStore(table: Table): UserStore {
  const { client, tableName } = table;
  const pending = new PendingCalls();

  return {
    async create(username, passwordHash, now) {
      const record: UserRecord = {
        ...initialAttributes,
        username,
        userId: randomUUID(),
        passwordHash,
        userSince: now,
      };
      try {
        await client.send(
          new PutCommand({
            TableName: tableName,
            Item: { ...userKey(username), ...record },
            ConditionExpression: "attribute_not_exists(pk)",
            ReturnValuesOnConditionCheckFailure: "ALL_OLD",
          }),
        );
        return true;
      } catch (error) {
        // The client repeats a request whose answer was lost: our own salted hash there means that the first arrived.
        return recordThatFailed(error)?.passwordHash === passwordHash;
      }
    },

    async find(username) {
      const record = await readUserRecord(table, username);
      return record?.passwordHash === undefined ? undefined : parseUser(record);
    },

    countCall: (call) => countCall(table, pending, call),

    async changePassword({ username, userId, passwordHash }, nextHash, revokesSignIns) {
      // Before the change: a sign-in that is added after it keeps its record.
      const signIns = revokesSignIns ? await readKeys(table, userKey(username).pk, signInPrefix) : [];
      const change = {
        UpdateExpression: `SET passwordHash = :next${revokesSignIns ? ", signIns = :none" : ""} REMOVE proofs`,
        ConditionExpression: "passwordHash = :hash AND userId = :userId",
        ExpressionAttributeValues: {
          ":next": nextHash,
          ":hash": passwordHash,
          ":userId": userId,
          ...(revokesSignIns && { ":none": {} }),
        },
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      } as const;
      try {
        await retryConflicts(() => updateUserRecord(table, username, change));
      } catch (error) {
        // The client repeats a request whose answer was lost: our own salted hash there means that the first arrived.
        if (recordThatFailed(error)?.passwordHash !== nextHash) return false;
      }
      // A record that is left is not shown, and gives no access.
      await deleteBatch(table, signIns);
      return true;
    },

    async addCalls(username, windowStart, calls) {
      const before = pending.of(username, windowStart);
      if (calls.calls < 0 && before.calls >= -calls.calls && before.publicCalls >= -calls.publicCalls) {
        pending.add(username, windowStart, calls);
        return undefined;
      }
      const add = (sum: UserCalls) =>
        new UpdateCommand({
          TableName: tableName,
          Key: userKey(username),
          UpdateExpression: "SET calls = calls + :calls, publicCalls = if_not_exists(publicCalls, :none) + :public",
          ConditionExpression: "windowStart = :window AND calls >= :undone",
          ExpressionAttributeValues: {
            ":calls": sum.calls,
            ":public": sum.publicCalls,
            ":none": 0,
            ":window": windowStart,
            ":undone": Math.max(0, -sum.calls),
          },
          ReturnValues: "UPDATED_NEW",
        });
      try {
        const { Attributes } = await pending.write(username, windowStart, calls, (sum) =>
          retryConflicts(() => sendOnce(client, add(sum))),
        );
        return Attributes && { calls: Attributes.calls, publicCalls: Attributes.publicCalls };
      } catch (error) {
        recordThatFailed(error);
        return undefined;
      }
    },

    async forgetProofs(username) {
      await changeUser(table, username, {
        UpdateExpression: "REMOVE proofs",
        ConditionExpression: "attribute_exists(pk)",
      });
    },
  };
}
