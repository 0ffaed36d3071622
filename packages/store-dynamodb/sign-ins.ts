// SPDX-License-Identifier: MIT

import { exchange, mostBefore, type SignIn, startOfDay } from "@reading-list/core/domain/sign-in.ts";
import { wrongCredentials } from "@reading-list/core/errors.ts";
import type { SignInStore } from "@reading-list/core/ports/sign-ins.ts";
import { walkPartition } from "./batches.ts";
import { readRecord, type Table } from "./client.ts";
import { signInKey, signInPrefix, userKey } from "./keys.ts";
import { transact } from "./optimistic-locking.ts";
import { parseUser, readUserRecord, type SecretEntries } from "./users.ts";

/** The sign-in of a record, whichever version wrote it. */
const parseSignIn = (record: object) => ({ scope: "full", ...record }) as SignIn;

/** The part of a sign-in that the user's record has. */
const partInUser = ({ id, usedAt, expiresAt, scope, audience }: SignIn): SecretEntries[string] => ({
  id,
  usedAt,
  expiresAt,
  ...(audience !== undefined && { audience }),
  ...(scope !== "full" && { scope }),
});

/** The sign-ins that the user's record has, with the day of their last use, oldest first. */
function withUse(found: readonly SignIn[], entries: SecretEntries): SignIn[] {
  return found
    .flatMap(({ id, name, scope, audience, createdAt, secretHash, expiresAt, refresh }) => {
      const { usedAt } = entries[secretHash] ?? {};
      const limits = { scope, ...(audience !== undefined && { audience }) };
      return usedAt === undefined ? [] : [{ id, name, ...limits, createdAt, usedAt, secretHash, expiresAt, refresh }];
    })
    .sort((one, other) => one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1));
}

/**
 * The app passwords and OAuth sign-ins (docs/data.md 1.6). The data that the counting write of a call needs is in the user's
 * record, the rest in a record for each; both are written in one transaction.
 */
export function createSignInStore(table: Table): SignInStore {
  const { tableName: TableName } = table;

  const find = async (username: string, id: string) => {
    const record = await readRecord(table, signInKey(username, id));
    return record && parseSignIn(record);
  };

  return {
    async add({ username, userId, passwordHash }, added, more = 0) {
      const { usedAt: _, ...signIn } = added;
      const isAdded = await transact(table, [
        {
          Update: {
            TableName,
            Key: userKey(username),
            UpdateExpression: "SET signIns.#secret = :entry",
            ConditionExpression: "passwordHash = :hash AND userId = :userId AND size(signIns) < :max",
            ExpressionAttributeNames: { "#secret": signIn.secretHash },
            ExpressionAttributeValues: {
              ":entry": partInUser(added),
              ":hash": passwordHash,
              ":userId": userId,
              ":max": mostBefore(added) + more,
            },
          },
        },
        {
          Put: {
            TableName,
            Item: { ...signInKey(username, signIn.id), ...signIn },
            ConditionExpression: "attribute_not_exists(pk)",
          },
        },
      ]);
      if (isAdded) return true;
      const record = await readUserRecord(table, username);
      if (record?.passwordHash !== passwordHash || record.userId !== userId) throw wrongCredentials();
      return false;
    },

    async list(username) {
      const found: SignIn[] = [];
      for await (const records of walkPartition(table, userKey(username).pk, signInPrefix)) {
        found.push(...records.map(parseSignIn));
      }
      if (found.length === 0) return [];
      const entries: SecretEntries = parseUser((await readUserRecord(table, username)) ?? {}).signIns;
      return withUse(found, entries);
    },

    async renew(username, id, refreshHash, secrets, now) {
      for (let attempt = 1; attempt <= 3; attempt++) {
        const before = await find(username, id);
        const after = before ? exchange(before, refreshHash, secrets, now) : "refused";
        if (after === "revoked") await this.remove(username, id);
        if (!before || after === "revoked" || after === "refused") return false;
        const [next, last] = [after.secretHash, before.secretHash];
        const isRenewed = await transact(table, [
          {
            Update: {
              TableName,
              Key: userKey(username),
              // A token that is exchanged once more gives the same secrets.
              UpdateExpression: `SET signIns.#next = :entry${next === last ? "" : " REMOVE signIns.#last"}`,
              ConditionExpression: "attribute_exists(passwordHash) AND attribute_exists(signIns.#last)",
              ExpressionAttributeNames: { "#next": next, "#last": last },
              ExpressionAttributeValues: { ":entry": partInUser({ ...before, ...after, usedAt: startOfDay(now) }) },
            },
          },
          {
            Put: {
              TableName,
              Item: { ...before, ...after },
              ConditionExpression: "secretHash = :last AND #refresh = :refresh",
              ExpressionAttributeNames: { "#refresh": "refresh" },
              ExpressionAttributeValues: { ":last": last, ":refresh": before.refresh },
            },
          },
        ]);
        // Otherwise another call has exchanged the token, or revoked the sign-in, meanwhile.
        if (isRenewed) return true;
      }
      return false;
    },

    async remove(username, id): Promise<boolean> {
      const signIn = await find(username, id);
      if (!signIn) return false;
      const isRemoved = await transact(table, [
        {
          Update: {
            TableName,
            Key: userKey(username),
            UpdateExpression: "REMOVE signIns.#secret",
            ConditionExpression: "attribute_exists(signIns)",
            ExpressionAttributeNames: { "#secret": signIn.secretHash },
          },
        },
        {
          Delete: {
            TableName,
            Key: signInKey(username, id),
            ConditionExpression: "secretHash = :hash",
            ExpressionAttributeValues: { ":hash": signIn.secretHash },
          },
        },
      ]);
      if (isRemoved) return true;
      // The app may have renewed its tokens meanwhile.
      return (await find(username, id))?.secretHash !== signIn.secretHash && this.remove(username, id);
    },
  };
}
