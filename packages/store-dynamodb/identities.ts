// SPDX-License-Identifier: MIT

import { randomUUID } from "node:crypto";
import type { Identity } from "@reading-list/core/domain/identity.ts";
import { wrongCredentials } from "@reading-list/core/errors.ts";
import type { IdentityStore } from "@reading-list/core/ports/sign-ins.ts";
import { readRecord, type Table } from "./client.ts";
import { identityKey, userKey } from "./keys.ts";
import { retryConflicts, transact } from "./optimistic-locking.ts";
import { changeUser, initialAttributes, parseUser, parseUserRecord, readUserRecord, type UserRecord } from "./users.ts";

/** Replaces the subjects of a user, if they have not changed since the record was read. */
const setSubjects = (
  { tableName: TableName }: Table,
  { username, userId, identities, passwordHash }: UserRecord,
  next: Record<string, string>,
) => ({
  Update: {
    TableName,
    Key: userKey(username),
    UpdateExpression: "SET identities = :next",
    ConditionExpression: [
      "userId = :userId",
      passwordHash === undefined ? "attribute_not_exists(passwordHash)" : "passwordHash = :hash",
      identities ? "identities = :before" : "attribute_not_exists(identities)",
    ].join(" AND "),
    ExpressionAttributeValues: {
      ":next": next,
      ":userId": userId,
      ...(passwordHash !== undefined && { ":hash": passwordHash }),
      ...(identities && { ":before": identities }),
    },
  },
});

/**
 * The users of identities at providers of single sign-on (docs/data.md 1.15). The record of an identity names its user; the
 * user's record has the subject at each issuer, so that they can be unlinked and deleted.
 */
export function createIdentityStore(table: Table): IdentityStore {
  const { tableName: TableName } = table;

  /** The id of the user that an identity's record names, and the user if it is one still. */
  async function find(identity: Identity) {
    const record = await readRecord(table, identityKey(identity));
    if (!record) return undefined;
    const named = await readUserRecord(table, String(record.username));
    const isThere = named?.userId === record.userId && named?.passwordHash !== undefined;
    return { userId: String(record.userId), user: isThere ? parseUser(named) : undefined };
  }

  /**
   * Writes the record of an identity, if its user has not changed since it was read; the record of a user who no longer
   * exists is replaced.
   */
  const put = (identity: Identity, owner: { username: string; userId: string }, former: string | undefined) => ({
    Put: {
      TableName,
      Item: { ...identityKey(identity), ...identity, ...owner },
      ...(former === undefined
        ? { ConditionExpression: "attribute_not_exists(pk)" }
        : { ConditionExpression: "userId = :former", ExpressionAttributeValues: { ":former": former } }),
    },
  });

  /** Removes the record of an identity, if it belongs to this user. */
  const remove = (issuer: string, subject: string, userId: string) => ({
    Delete: {
      TableName,
      Key: identityKey({ issuer, subject }),
      ConditionExpression: "attribute_not_exists(pk) OR userId = :userId",
      ExpressionAttributeValues: { ":userId": userId },
    },
  });

  return {
    find: async (identity) => (await find(identity))?.user,

    async list({ username, userId }) {
      const record = await readUserRecord(table, username);
      if (record?.userId !== userId) return [];
      const identities = Object.entries(parseUserRecord(record).identities ?? {});
      return identities.map(([issuer, subject]) => ({ issuer, subject }));
    },

    async create(identity, { username, passwordHash, now }, invitation) {
      const known = await find(identity);
      if (known?.user) return "linked";
      // A stage has no invitations.
      if (invitation !== undefined) return "gone";
      const owner = { username, userId: randomUUID() };
      const identities = { [identity.issuer]: identity.subject };
      const record = { ...initialAttributes, ...owner, passwordHash, userSince: now, identities };
      const isDone = await transact(table, [
        {
          Put: {
            TableName,
            Item: { ...userKey(username), ...record },
            ConditionExpression: "attribute_not_exists(pk)",
          },
        },
        put(identity, owner, known?.userId),
      ]);
      if (isDone) return "done";
      return (await find(identity))?.user ? "linked" : "taken";
    },

    link: (identity, { username, userId, passwordHash }) =>
      retryConflicts(async () => {
        const known = await find(identity);
        if (known?.user) return known.userId === userId;
        const attributes = await readUserRecord(table, username);
        if (attributes?.userId !== userId || attributes.passwordHash !== passwordHash) throw wrongCredentials();
        const record = parseUserRecord(attributes);
        const { issuer, subject } = identity;
        const former = record.identities?.[issuer];
        const isDone = await transact(table, [
          setSubjects(table, record, { ...record.identities, [issuer]: subject }),
          put(identity, { username, userId }, known?.userId),
          ...(former === undefined || former === subject ? [] : [remove(issuer, former, userId)]),
        ]);
        return isDone || undefined;
      }),

    async setAccess({ username, userId }, { isAllowed }) {
      await changeUser(table, username, {
        UpdateExpression: "SET isSuspended = :isSuspended",
        ConditionExpression: "userId = :userId AND (NOT isSuspended = :isSuspended)",
        ExpressionAttributeValues: { ":isSuspended": !isAllowed, ":userId": userId },
      });
    },

    async unlink({ username, userId }) {
      await retryConflicts(async () => {
        const attributes = await readUserRecord(table, username);
        if (attributes?.userId !== userId || attributes.passwordHash === undefined) return true;
        const record = parseUserRecord(attributes);
        const linked = Object.entries(record.identities ?? {});
        if (linked.length === 0) return true;
        const removals = linked.map(([issuer, subject]) => remove(issuer, subject, userId));
        return (await transact(table, [setSubjects(table, record, {}), ...removals])) || undefined;
      });
    },
  };
}
