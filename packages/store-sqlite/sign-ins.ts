// SPDX-License-Identifier: MIT

import { exchange, mostBefore, type Scope, type SignIn, storedHashes } from "@reading-list/core/domain/sign-in.ts";
import { wrongCredentials } from "@reading-list/core/errors.ts";
import type { SignInStore } from "@reading-list/core/ports/sign-ins.ts";
import { type Database, optional, parseJson, type Row } from "./database.ts";

const parseSignIn = (row: Row): SignIn => ({
  id: String(row.id),
  name: String(row.name),
  scope: String(row.scope ?? "full") as Scope,
  ...(row.audience != null && { audience: String(row.audience) }),
  createdAt: Number(row.time_created),
  usedAt: Number(row.time_used),
  secretHash: String(row.secret_hash),
  expiresAt: optional(row.expires),
  refresh:
    row.refresh_hash == null
      ? undefined
      : {
          hash: String(row.refresh_hash),
          expiresAt: Number(row.refresh_expires),
          former: parseJson(row.former),
        },
});

const ofUser = "user = (SELECT id FROM users WHERE username = :username)";

/** The sign-in of a secret. `user`: the id of the user's row. */
export function findSignIn(database: Database, user: number, secretHash: string): SignIn | undefined {
  const [unlimited, limited] = storedHashes(secretHash);
  const row = database.get("SELECT * FROM sign_ins WHERE user = :user AND secret_hash IN (:unlimited, :limited)", {
    user,
    unlimited,
    limited,
  });
  return row && parseSignIn(row);
}

export const markUse = (database: Database, user: number, id: string, day: number) =>
  database.run("UPDATE sign_ins SET time_used = :day WHERE user = :user AND id = :id AND time_used <> :day", {
    user,
    id,
    day,
  });

/** The app passwords and OAuth sign-ins. */
export const createSignInStore = (database: Database): SignInStore => ({
  add: ({ username, userId, passwordHash }, signIn, more = 0) =>
    database.save(() => {
      const { id, name, scope, audience = null, createdAt, secretHash, expiresAt = null, refresh } = signIn;
      const user = database.get(
        `SELECT id, (SELECT count(*) FROM sign_ins WHERE user = users.id) AS count FROM users
         WHERE username = :username AND user_id = :userId AND password_hash = :passwordHash`,
        { username, userId, passwordHash },
      );
      if (!user) throw wrongCredentials();
      if (Number(user.count) >= mostBefore(signIn) + more) return false;
      database.run(
        `INSERT INTO sign_ins (user, id, name, scope, audience, time_created, secret_hash, expires, refresh_hash, refresh_expires)
         VALUES (:user, :id, :name, :scope, :audience, :createdAt, :secretHash, :expiresAt, :refreshHash, :refreshExpires)`,
        {
          user: Number(user.id),
          id,
          name,
          scope,
          audience,
          createdAt,
          secretHash,
          expiresAt,
          refreshHash: refresh?.hash ?? null,
          refreshExpires: refresh?.expiresAt ?? null,
        },
      );
      return true;
    }),

  async list(username) {
    return database
      .all(`SELECT * FROM sign_ins WHERE ${ofUser} ORDER BY time_created, id`, { username })
      .map(parseSignIn);
  },

  renew: (username, id, refreshHash, secrets, now) =>
    database.save(() => {
      const sign = { username, id };
      const row = database.get(`SELECT * FROM sign_ins WHERE ${ofUser} AND id = :id`, sign);
      const after = row ? exchange(parseSignIn(row), refreshHash, secrets, now) : "refused";
      if (after === "revoked") database.run(`DELETE FROM sign_ins WHERE ${ofUser} AND id = :id`, sign);
      if (after === "revoked" || after === "refused") return false;
      const { secretHash, expiresAt = null, refresh } = after;
      database.run(
        `UPDATE sign_ins SET secret_hash = :secretHash, expires = :expiresAt, refresh_hash = :hash,
         refresh_expires = :refreshExpires, former = :former
         WHERE ${ofUser} AND id = :id`,
        {
          ...sign,
          secretHash,
          expiresAt,
          hash: refresh?.hash ?? null,
          refreshExpires: refresh?.expiresAt ?? null,
          former: refresh?.former ? JSON.stringify(refresh.former) : null,
        },
      );
      return true;
    }),

  remove: (username, id) =>
    database.save(() => database.run(`DELETE FROM sign_ins WHERE ${ofUser} AND id = :id`, { username, id }) === 1),
});
