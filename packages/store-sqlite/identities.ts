// SPDX-License-Identifier: MIT

import { wrongCredentials } from "@reading-list/core/errors.ts";
import type { IdentityStore } from "@reading-list/core/ports/sign-ins.ts";
import { takeInvitation } from "./administration.ts";
import type { Database } from "./database.ts";
import { insertUser, parseUser } from "./users.ts";

/** `is_operator` after a sign-in: only 2 comes from a claim of single sign-on. */
const operatorAfter = "CASE WHEN is_operator = 1 THEN 1 WHEN :isOperator THEN 2 ELSE 0 END";

/** The users of identities at a provider of single sign-on. */
export function createIdentityStore(database: Database): IdentityStore {
  const findRow = (identity: { issuer: string; subject: string }) =>
    database.get(
      `SELECT users.* FROM identities JOIN users ON users.user_id = identities.user
       WHERE issuer = :issuer AND subject = :subject AND password_hash IS NOT NULL`,
      { ...identity },
    );
  const insert = ({ issuer, subject }: { issuer: string; subject: string }, userId: string) => {
    database.run("DELETE FROM identities WHERE user = :userId AND issuer = :issuer", { userId, issuer });
    // The identity of a deleted user is replaced.
    database.run("INSERT OR REPLACE INTO identities (issuer, subject, user) VALUES (:issuer, :subject, :userId)", {
      issuer,
      subject,
      userId,
    });
  };
  return {
    async find(identity) {
      const row = findRow(identity);
      return row && parseUser(row);
    },
    list: async ({ userId }) =>
      database
        .all("SELECT issuer, subject FROM identities WHERE user = :userId", { userId })
        .map(({ issuer, subject }) => ({ issuer: String(issuer), subject: String(subject) })),
    create: (identity, { username, passwordHash, now }, invitation) =>
      database.save(() => {
        if (findRow(identity)) return "linked";
        if (database.get("SELECT 1 FROM users WHERE username = :username", { username })) return "taken";
        if (invitation !== undefined && !takeInvitation(database, invitation, now)) return "gone";
        insertUser(database, { username, passwordHash, now });
        const row = database.get("SELECT user_id FROM users WHERE username = :username", { username });
        insert(identity, String(row?.user_id));
        return "done";
      }),
    link: (identity, { userId, passwordHash = null }) =>
      database.save(() => {
        const known = findRow(identity);
        if (known) return known.user_id === userId;
        const sql = "SELECT 1 FROM users WHERE user_id = :userId AND password_hash IS :passwordHash";
        if (!database.get(sql, { userId, passwordHash })) throw wrongCredentials();
        insert(identity, userId);
        return true;
      }),
    async setAccess({ userId }, { isAllowed, isOperator }) {
      const access = { isSuspended: Number(!isAllowed), isOperator: Number(isAllowed && isOperator) };
      const sql = "SELECT 1 FROM users WHERE user_id = :userId AND (is_suspended, is_operator) IS NOT";
      if (!database.get(`${sql} (:isSuspended, ${operatorAfter})`, { userId, ...access })) return;
      await database.save(() => {
        database.run(
          `UPDATE users SET is_suspended = :isSuspended, is_operator = ${operatorAfter} WHERE user_id = :userId`,
          { userId, ...access },
        );
      });
    },
    unlink: ({ userId }) =>
      database.save(() => {
        database.run("DELETE FROM identities WHERE user = :userId", { userId });
      }),
  };
}
