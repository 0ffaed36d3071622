// SPDX-License-Identifier: MIT

import { byCreation, maxShares, type Share } from "@reading-list/core/domain/share.ts";
import { wrongCredentials } from "@reading-list/core/errors.ts";
import type { ShareStore } from "@reading-list/core/ports/shares.ts";
import { type Database, parseJson, type Row } from "./database.ts";

/** The share of a row. */
export const parseShare = ({ content }: Row): Share => {
  const share: Partial<Share> = parseJson(content) ?? {};
  return { expiresAt: undefined, ...share } as Share;
};

/** The shares of users. */
export function createShareStore(database: Database): ShareStore {
  const list = (userId: string) =>
    database.all("SELECT content FROM shares WHERE user = :userId", { userId }).map(parseShare).sort(byCreation);
  return {
    list: async ({ userId }) => list(userId),
    add: ({ userId }, share) =>
      database.save(() => {
        const sql = "SELECT 1 FROM users WHERE user_id = :userId AND password_hash IS NOT NULL";
        if (!database.get(sql, { userId })) throw wrongCredentials();
        if (list(userId).length >= maxShares) return false;
        database.run("INSERT INTO shares (token, user, id, content) VALUES (:token, :userId, :id, :content)", {
          token: share.token,
          userId,
          id: share.id,
          content: JSON.stringify(share),
        });
        return true;
      }),
    async find(token) {
      const row = database.get(
        "SELECT username, content FROM shares JOIN users ON users.user_id = shares.user WHERE token = :token",
        { token },
      );
      return row && { username: String(row.username), share: parseShare(row) };
    },
    replace: ({ userId }, share) =>
      database.save(
        () =>
          database.run("UPDATE shares SET content = :content WHERE user = :userId AND id = :id", {
            userId,
            id: share.id,
            content: JSON.stringify(share),
          }) === 1,
      ),
    remove: ({ userId }, id) =>
      database.save(() => database.run("DELETE FROM shares WHERE user = :userId AND id = :id", { userId, id }) === 1),
  };
}
