// SPDX-License-Identifier: MIT

import { challengeSeconds, maxPasskeys, type Passkey } from "@reading-list/core/domain/passkey.ts";
import { ServiceError, wrongCredentials } from "@reading-list/core/errors.ts";
import type { AnsweredChallenge, PasskeyStore } from "@reading-list/core/ports/sign-ins.ts";
import type { ClosedUser } from "@reading-list/core/ports/users.ts";
import { readRecord, type Table } from "./client.ts";
import { dataVersion } from "./data-version.ts";
import { dataVersionKey, passkeysKey, userKey } from "./keys.ts";
import { retryConflicts, transact } from "./optimistic-locking.ts";
import { readUserRecord } from "./users.ts";

/** Answers of one user in ten minutes at most, so that the record stays small. */
const maxAnswered = 500;

/** The record of a user's passkeys (docs/data.md 1.17). */
interface PasskeysRecord {
  userId: string;
  passkeys: readonly Passkey[];
  /** The challenges that were answered within the time that a challenge is valid. */
  answered: readonly AnsweredChallenge[];
  /** Incremented by each write; for optimistic locking. */
  revision: number;
}

/**
 * The passkeys of users. Functions of the previous data version admit a password without a passkey, so the first passkey
 * needs the present data version, which none of them reads.
 */
export function createPasskeyStore(table: Table): PasskeyStore {
  const { tableName: TableName } = table;

  async function find({ username, userId }: ClosedUser): Promise<PasskeysRecord> {
    const record = (await readRecord(table, passkeysKey(username))) as PasskeysRecord | undefined;
    const isOwn = record?.userId === userId;
    return {
      userId,
      passkeys: isOwn ? record.passkeys : [],
      answered: isOwn ? record.answered : [],
      revision: record?.revision ?? 0,
    };
  }

  /** The answered challenges with one more; undefined if it was answered before, or too many were. */
  function answer({ answered }: PasskeysRecord, challenge: AnsweredChallenge): AnsweredChallenge[] | undefined {
    // Twice the time for which a challenge is valid, because the clocks of functions differ.
    const recent = answered.filter(({ at }) => at > challenge.at - 2 * challengeSeconds);
    const isNew = recent.every(({ nonce }) => nonce !== challenge.nonce);
    return isNew && recent.length < maxAnswered ? [...recent, challenge] : undefined;
  }

  /** Replaces the record, if it has not changed since it was read. */
  const put = (username: string, { revision, ...record }: PasskeysRecord) => ({
    Put: {
      TableName,
      Item: { ...passkeysKey(username), ...record, revision: revision + 1 },
      ConditionExpression: revision === 0 ? "attribute_not_exists(pk)" : "revision = :revision",
      ...(revision > 0 && { ExpressionAttributeValues: { ":revision": revision } }),
    },
  });

  return {
    list: async (user) => [...(await find(user)).passkeys],

    add: ({ username, userId, passwordHash }, passkey, challenge) =>
      retryConflicts(async () => {
        const record = await find({ username, userId });
        const { passkeys } = record;
        const answered = answer(record, challenge);
        const isKnown = passkeys.some(({ id }) => id === passkey.id);
        if (!answered || isKnown || passkeys.length >= maxPasskeys) return false;
        const isDone = await transact(table, [
          {
            Update: {
              TableName,
              Key: userKey(username),
              UpdateExpression: "SET hasPasskeys = :yes REMOVE proofs",
              ConditionExpression: "passwordHash = :hash AND userId = :userId",
              ExpressionAttributeValues: { ":yes": true, ":hash": passwordHash, ":userId": userId },
            },
          },
          put(username, { ...record, passkeys: [...passkeys, passkey], answered }),
          {
            ConditionCheck: {
              TableName,
              Key: dataVersionKey,
              ConditionExpression: "version = :version",
              ExpressionAttributeValues: { ":version": dataVersion },
            },
          },
        ]);
        if (isDone) return true;
        const user = await readUserRecord(table, username);
        if (user?.passwordHash !== passwordHash || user.userId !== userId) throw wrongCredentials();
        if ((await readRecord(table, dataVersionKey))?.version !== dataVersion) {
          throw new ServiceError("invalid", "the service is being updated; add the passkey in half an hour");
        }
        // Another call has changed the record meanwhile.
        return undefined;
      }),

    use: (user, id, counter, day, challenge) =>
      retryConflicts(async () => {
        const record = await find(user);
        const answered = answer(record, challenge);
        const used = record.passkeys.find((each) => each.id === id);
        if (!answered || !used || (used.counter > 0 && used.counter >= counter)) return false;
        const passkeys = record.passkeys.map((each) => (each === used ? { ...each, counter, usedAt: day } : each));
        return (await transact(table, [put(user.username, { ...record, passkeys, answered })])) || undefined;
      }),

    remove: (user, id) =>
      retryConflicts(async () => {
        const record = await find(user);
        const passkeys = record.passkeys.filter((each) => each.id !== id);
        if (passkeys.length === record.passkeys.length) return false;
        const isLast = {
          Update: {
            TableName,
            Key: userKey(user.username),
            UpdateExpression: "REMOVE hasPasskeys",
            ConditionExpression: "userId = :userId",
            ExpressionAttributeValues: { ":userId": user.userId },
          },
        };
        const isDone = await transact(table, [
          put(user.username, { ...record, passkeys }),
          ...(passkeys.length === 0 ? [isLast] : []),
        ]);
        return isDone || undefined;
      }),
  };
}
