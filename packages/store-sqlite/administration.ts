// SPDX-License-Identifier: MIT

import type { OperatorLink } from "@reading-list/core/domain/operator-link.ts";
import type { AdministrationStore } from "@reading-list/core/ports/operator.ts";
import type { Database, Row } from "./database.ts";
import { removeSecondFactor } from "./passkeys.ts";
import { parseShare } from "./shares.ts";
import { parseRecord } from "./user-records.ts";
import { insertUser } from "./users.ts";

const parseLink = (row: Row): OperatorLink => ({
  id: String(row.id),
  secretHash: String(row.secret_hash),
  username: row.username == null ? undefined : String(row.username),
  createdAt: Number(row.created_at),
  expiresAt: Number(row.expires_at),
});

/** A link for a deleted user has no name, and is not returned. */
const links = `SELECT operator_links.*, username FROM operator_links LEFT JOIN users ON users.user_id = operator_links.user
  WHERE expires_at > :now AND (operator_links.user IS NULL OR password_hash IS NOT NULL)`;

/** Uses an invitation up; false if it does not work. */
export const takeInvitation = (database: Database, secretHash: string, now: number): boolean =>
  database.run("DELETE FROM operator_links WHERE secret_hash = :secretHash AND user IS NULL AND expires_at > :now", {
    secretHash,
    now,
  }) === 1;

/** Operators, and the links that they give. */
export function createAdministration(database: Database): AdministrationStore {
  const has = (sql: string, parameters = {}) => database.get(sql, parameters) !== undefined;
  const hasOperator = () => has("SELECT 1 FROM users WHERE is_operator > 0 AND password_hash IS NOT NULL");
  const findLink = (secretHash: string, now: number) => {
    const row = database.get(`${links} AND secret_hash = :secretHash`, { secretHash, now });
    return row && parseLink(row);
  };
  return {
    hasUsers: async () => has("SELECT 1 FROM users"),
    hasOperator: async () => hasOperator(),
    isOperator: async ({ userId }) =>
      has("SELECT 1 FROM users WHERE user_id = :userId AND is_operator > 0", { userId }),
    setOperator: (username, isOperator) =>
      database.save(() => {
        const sql = "UPDATE users SET is_operator = :flag WHERE username = :username AND password_hash IS NOT NULL";
        return database.run(sql, { username, flag: Number(isOperator) }) === 1;
      }),
    async listUsers({ skip, count, search }) {
      const found = "FROM users WHERE instr(username, :search)";
      const sql = `SELECT * ${found} ORDER BY username LIMIT :count OFFSET :skip`;
      const rows = database.all(sql, { skip, count, search });
      const total = Number(database.get(`SELECT count(*) AS total ${found}`, { search })?.total);
      return { total, users: rows.map((row) => ({ ...parseRecord(row), isOperator: Number(row.is_operator) > 0 })) };
    },
    async listShares(count) {
      const sql = `SELECT username, content FROM shares JOIN users ON users.user_id = shares.user
        ORDER BY content ->> 'createdAt' DESC, shares.id LIMIT :count`;
      return database.all(sql, { count }).map((row) => ({ username: String(row.username), share: parseShare(row) }));
    },
    addLink: ({ id, secretHash, username, createdAt, expiresAt }) =>
      database.save(() => {
        const values = { id, secretHash, createdAt, expiresAt, username: username ?? null };
        const sql = `INSERT INTO operator_links (id, secret_hash, created_at, expires_at, user)
          SELECT :id, :secretHash, :createdAt, :expiresAt, (SELECT user_id FROM users WHERE username = :username)
          WHERE :username IS NULL OR EXISTS (SELECT 1 FROM users WHERE username = :username AND password_hash IS NOT NULL)`;
        return database.run(sql, values) === 1;
      }),
    async listLinks(now) {
      return database.all(`${links} ORDER BY created_at, id`, { now }).map(parseLink);
    },
    removeLink: (id) => database.save(() => database.run("DELETE FROM operator_links WHERE id = :id", { id }) === 1),
    findLink: async (secretHash, now) => findLink(secretHash, now),
    useLink: ({ secretHash, username, passwordHash, now }) =>
      database.save(() => {
        const link = findLink(secretHash, now);
        if (!link || (link.username !== undefined && link.username !== username)) return "gone";
        if (link.username === undefined) {
          if (!insertUser(database, { username, passwordHash, now })) return "taken";
        } else {
          database.run("UPDATE users SET password_hash = :passwordHash, is_suspended = 0 WHERE username = :username", {
            username,
            passwordHash,
          });
          removeSecondFactor(database, username);
          // Ends a lockout: the user may have tried the forgotten password too often.
          database.run("DELETE FROM login_attempts WHERE username = :username", { username });
        }
        database.run("DELETE FROM operator_links WHERE secret_hash = :secretHash", { secretHash });
        return "done";
      }),
    createFirstOperator: (username, passwordHash, now) =>
      database.save(() => {
        if (hasOperator()) return "gone";
        if (!insertUser(database, { username, passwordHash, now })) return "taken";
        database.run("UPDATE users SET is_operator = 1 WHERE username = :username", { username });
        return "done";
      }),
  };
}
