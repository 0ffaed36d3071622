// SPDX-License-Identifier: MIT

import type { DeletionStore } from "@reading-list/core/ports/users.ts";
import type { Database } from "./database.ts";

/** Maximum rows that one transaction deletes, in about 10 ms. */
const rowsAtOnce = 500;

/** A user whose deletion was begun and not ended: the next user with this name may already have records. */
const closedUser = "(SELECT id FROM users WHERE username = :username AND deleting_since IS NOT NULL)";

/** The steps of the deletion of a user. */
export function createDeletionStore(database: Database): DeletionStore {
  /** Deletes rows some at a time, so that the service does not wait for all of them. */
  async function* deleteRows(sql: string, parameters: Record<string, string | number>): AsyncGenerator<number> {
    for (let deleted = rowsAtOnce; deleted === rowsAtOnce; ) {
      deleted = await database.save(() => database.run(`${sql} LIMIT ${rowsAtOnce})`, parameters));
      if (deleted > 0) yield deleted;
    }
  }

  return {
    beginDeletion: ({ username, userId, passwordHash = null }, now) =>
      database.save(
        () =>
          database.run(
            `UPDATE users SET password_hash = NULL, deleting_since = coalesce(deleting_since, :now)
             WHERE username = :username AND user_id = :userId AND (:passwordHash IS NULL OR password_hash = :passwordHash)`,
            { username, now, userId, passwordHash },
          ) === 1,
      ),
    async *unfinishedDeletions() {
      for (const row of database.all("SELECT username, user_id FROM users WHERE deleting_since IS NOT NULL", {})) {
        yield { username: String(row.username), userId: String(row.user_id) };
      }
    },
    async *deleteItems({ username }) {
      for await (const _ of deleteRows(
        `DELETE FROM highlights WHERE id IN (SELECT id FROM highlights WHERE user = ${closedUser}`,
        { username },
      ));
      yield* deleteRows(`DELETE FROM items WHERE id IN (SELECT id FROM items WHERE user = ${closedUser}`, { username });
    },
    async *deleteSignIns({ username, userId }) {
      yield* deleteRows(
        `DELETE FROM sign_ins WHERE (user, id) IN (SELECT user, id FROM sign_ins WHERE user = ${closedUser}`,
        {
          username,
        },
      );
      for (const table of ["walks", "identities", "passkeys", "shares"]) {
        await database.save(() => database.run(`DELETE FROM ${table} WHERE user = :userId`, { userId }));
      }
      const pages = "DELETE FROM kept_pages WHERE id IN (SELECT id FROM kept_pages WHERE user = :userId";
      for await (const _ of deleteRows(pages, { userId }));
    },
    deleteLoginAttempts: (username) =>
      deleteRows(
        `DELETE FROM login_attempts WHERE username = :username AND source IN
         (SELECT source FROM login_attempts WHERE username = :username`,
        { username },
      ),
    async endDeletion({ username }) {
      await database.save(() => {
        database.run(`INSERT OR IGNORE INTO deleted_users SELECT user_id FROM users WHERE id = ${closedUser}`, {
          username,
        });
        database.run(`DELETE FROM users WHERE id = ${closedUser}`, { username });
      });
      // The log still has the pages as they were.
      database.emptyLog();
    },
  };
}
