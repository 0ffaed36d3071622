// SPDX-License-Identifier: MIT

import { challengeSeconds, maxPasskeys, type Passkey } from "@reading-list/core/domain/passkey.ts";
import { wrongCredentials } from "@reading-list/core/errors.ts";
import type { AnsweredChallenge, PasskeyStore } from "@reading-list/core/ports/sign-ins.ts";
import { LRUCache } from "lru-cache";
import { type Database, parseJson, type Row } from "./database.ts";

const parsePasskey = (row: Row): Passkey => ({
  id: String(row.id),
  name: String(row.name),
  publicKey: row.public_key as Uint8Array,
  counter: Number(row.counter),
  transports: parseJson(row.transports) ?? [],
  createdAt: Number(row.time_created),
  usedAt: Number(row.time_used),
});

/** The user's record has the number of passkeys, which admission reads with each call. */
const recount = (database: Database, userId: string) =>
  database.run(
    "UPDATE users SET passkeys = (SELECT count(*) FROM passkeys WHERE user = :userId) WHERE user_id = :userId",
    { userId },
  );

/**
 * Part of a new password by the operator: removes the passkeys of a user, and everything that replaces the account's
 * password.
 */
export function removeSecondFactor(database: Database, username: string): void {
  const user = database.get("SELECT id, user_id FROM users WHERE username = :username", { username });
  if (!user) return;
  const userId = String(user.user_id);
  database.run("DELETE FROM passkeys WHERE user = :userId", { userId });
  recount(database, userId);
  database.run("DELETE FROM sign_ins WHERE user = :id AND scope = 'fresh'", { id: Number(user.id) });
}

/** The passkeys of users. */
export function createPasskeyStore(database: Database): PasskeyStore {
  /** The nonces of challenges that were answered, in the memory of the only process that uses the database. */
  const answered = new LRUCache<string, true>({ max: 10_000, ttl: 2 * challengeSeconds * 1000 });
  /** False if the challenge was answered before. */
  const answer = ({ nonce }: AnsweredChallenge): boolean => {
    if (answered.has(nonce)) return false;
    answered.set(nonce, true);
    return true;
  };
  const list = (userId: string) =>
    database.all("SELECT * FROM passkeys WHERE user = :userId ORDER BY time_created, id", { userId }).map(parsePasskey);
  return {
    list: async ({ userId }) => list(userId),
    add: ({ userId, passwordHash }, { id, name, publicKey, counter, transports, createdAt, usedAt }, challenge) =>
      database.save(() => {
        const sql = "SELECT 1 FROM users WHERE user_id = :userId AND password_hash = :passwordHash";
        if (!database.get(sql, { userId, passwordHash })) throw wrongCredentials();
        const known = list(userId);
        if (!answer(challenge) || known.length >= maxPasskeys || known.some((passkey) => passkey.id === id))
          return false;
        database.run(
          `INSERT INTO passkeys (user, id, name, public_key, counter, transports, time_created, time_used)
           VALUES (:userId, :id, :name, :publicKey, :counter, :transports, :createdAt, :usedAt)`,
          {
            userId,
            id,
            name,
            publicKey,
            counter,
            createdAt,
            usedAt,
            transports: JSON.stringify(transports),
          },
        );
        recount(database, userId);
        return true;
      }),
    use: ({ userId }, id, counter, day, challenge) =>
      database.save(
        () =>
          answer(challenge) &&
          database.run(
            `UPDATE passkeys SET counter = :counter, time_used = :day
             WHERE user = :userId AND id = :id AND (counter < :counter OR counter = 0)`,
            { userId, id, counter, day },
          ) === 1,
      ),
    remove: ({ userId }, id) =>
      database.save(() => {
        const removed = database.run("DELETE FROM passkeys WHERE user = :userId AND id = :id", { userId, id });
        recount(database, userId);
        return removed === 1;
      }),
  };
}
