// SPDX-License-Identifier: MIT

import { randomUUID } from "node:crypto";
import { addProof, admitCall } from "@reading-list/core/domain/admission.ts";
import { callingSignIn, startOfDay } from "@reading-list/core/domain/sign-in.ts";
import type { User, UserCallOutcome, UserStore } from "@reading-list/core/ports/users.ts";
import { LRUCache } from "lru-cache";
import { type Database, optional, parseJson, type Row } from "./database.ts";
import { findSignIn, markUse } from "./sign-ins.ts";
import { SinceReserve } from "./since-reserve.ts";

/** The user of a row; `passwordHash` is empty while the user is being deleted or moved here. */
export const parseUser = (row: Row): User => ({
  username: String(row.username),
  userId: String(row.user_id),
  passwordHash: String(row.password_hash ?? ""),
  createdAt: Number(row.user_since),
  countUnread: Number(row.count_unread),
  countRead: Number(row.count_read),
  articles: Number(row.articles),
  articleBytes: Number(row.article_bytes),
  highlights: Number(row.highlights),
  keepsPages: row.keeps_pages == null ? undefined : row.keeps_pages === 1,
  keeping: parseJson(row.keeping),
  clock: {
    lastSince: Number(row.last_since),
    changedAt: Number(row.changed_at),
    highlightsAt: Number(row.highlights_at),
    keptAt: Number(row.kept_at),
    repaired: parseJson(row.repaired),
    firstSyncUpTo: optional(row.first_sync_up_to),
  },
  deletedAt: Number(row.deleted_at),
  revision: Number(row.revision),
  unfinished: parseJson(row.unfinished) ?? [],
  calls: Number(row.calls),
  publicCalls: Number(row.public_calls),
  windowStart: Number(row.window_start),
  walks: parseJson(row.walks) ?? {},
  hasPasskeys: Number(row.passkeys) > 0,
  isSuspended: row.is_suspended === 1,
});

export const findRow = (database: Database, username: string): Row | undefined =>
  database.get("SELECT * FROM users WHERE username = :username", { username });

/** Creates a user; false if the username is taken. */
export const insertUser = (
  database: Database,
  user: { username: string; passwordHash: string; now: number },
): boolean =>
  database.run(
    `INSERT INTO users (username, user_id, password_hash, user_since)
     VALUES (:username, :userId, :passwordHash, :now) ON CONFLICT DO NOTHING`,
    { ...user, userId: randomUUID() },
  ) === 1;

/** Users whose proofs are remembered. */
const usersKept = 10_000;

/** The users and their logical clocks. The proofs of passwords are in the memory of this process. */
export function createUserStore(database: Database): UserStore {
  const reserve = new SinceReserve(database);
  const proofs = new LRUCache<string, { passwordHash: unknown; list: readonly string[] }>({ max: usersKept });
  const parseProofs = (row: Row): readonly string[] => {
    const known = proofs.get(String(row.username));
    return known?.passwordHash === row.password_hash ? (known?.list ?? []) : [];
  };

  return {
    create: (username, passwordHash, now) => database.save(() => insertUser(database, { username, passwordHash, now })),

    async find(username) {
      const row = findRow(database, username);
      return row?.password_hash == null ? undefined : parseUser(row);
    },

    async countCall(call) {
      const { username, proof, verified, secretHash, now, sync } = call;
      if (sync) await reserve.cover(now);
      return database.write(
        (): UserCallOutcome => {
          const row = findRow(database, username);
          if (row?.password_hash == null) return { kind: "unproven", user: undefined };
          const known = parseProofs(row);
          const signIn = secretHash === undefined ? undefined : findSignIn(database, Number(row.id), secretHash);
          const admission = admitCall(call, parseUser(row), { proofs: known, signIn });
          if (verified?.passwordHash === row.password_hash) {
            proofs.set(username, { passwordHash: row.password_hash, list: addProof(known, proof) });
          }
          if (admission.kind !== "counted") return admission;
          const { user, credential, beginsWalk } = admission;
          database.run(
            `UPDATE users SET calls = :calls, public_calls = :publicCalls, window_start = :windowStart,
             last_since = :lastSince WHERE id = :id`,
            {
              id: Number(row.id),
              calls: user.calls,
              publicCalls: user.publicCalls,
              windowStart: user.windowStart,
              lastSince: user.clock.lastSince,
            },
          );
          if (beginsWalk) {
            database.run("UPDATE users SET walks = :walks WHERE id = :id", {
              id: Number(row.id),
              walks: JSON.stringify(user.walks),
            });
          }
          const used = credential === "secret" ? signIn : undefined;
          if (used) markUse(database, Number(row.id), used.id, startOfDay(now));
          return { kind: "counted", ...callingSignIn(used), user };
        },
        { mayBeLost: true },
      );
    },

    changePassword: ({ username, userId, passwordHash }, nextHash, revokesSignIns) =>
      database.save(() => {
        const changed = database.run(
          `UPDATE users SET password_hash = :nextHash
           WHERE username = :username AND user_id = :userId AND password_hash = :passwordHash`,
          { username, userId, passwordHash, nextHash },
        );
        if (changed === 1 && revokesSignIns) {
          database.run("DELETE FROM sign_ins WHERE user = (SELECT id FROM users WHERE username = :username)", {
            username,
          });
        }
        return changed === 1;
      }),

    addCalls: (username, windowStart, calls) =>
      database.write(
        () => {
          const row = database.get(
            `UPDATE users SET calls = max(0, calls + :calls), public_calls = max(0, public_calls + :publicCalls)
             WHERE username = :username AND window_start = :windowStart RETURNING calls, public_calls`,
            { username, windowStart, ...calls },
          );
          return row && { calls: Number(row.calls), publicCalls: Number(row.public_calls) };
        },
        { mayBeLost: true },
      ),

    async forgetProofs(username) {
      proofs.delete(username);
    },
  };
}
