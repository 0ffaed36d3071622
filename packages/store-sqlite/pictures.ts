// SPDX-License-Identifier: MIT

import type { ArticlePicture } from "@reading-list/core/domain/article-pictures.ts";
import { hashPicture } from "@reading-list/core/domain/picture-address.ts";
import { splitList } from "@reading-list/core/domain/split-list.ts";
import { ServiceError, wrongCredentials } from "@reading-list/core/errors.ts";
import type { PictureStore } from "@reading-list/core/ports/pictures.ts";
import { type Database, optional, type Row } from "./database.ts";
import type { PictureFiles } from "./picture-files.ts";
import { findRow } from "./users.ts";

/** Items whose pictures one transaction forgets: up to 100 pictures each. */
const itemsAtOnce = 20;
/** Times that a file is written again, because another process has removed it before its row was there. */
const maxWrites = 5;

type FailedPicture = Pick<ArticlePicture, "url" | "tries"> & { retryAt?: number | null | undefined };

/** The rows of pictures, within a transaction of the caller. */
export class PictureRows {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Whether an item has rows. */
  has = (user: string, itemId: number): boolean =>
    this.#database.get("SELECT 1 FROM article_pictures WHERE user = :user AND item_id = :itemId LIMIT 1", {
      user,
      itemId,
    }) !== undefined;

  /** Whether a user has the picture, and its bytes count. */
  isCounted = (user: string, hash: string): boolean =>
    this.#database.get("SELECT 1 FROM pictures WHERE user = :user AND hash = :hash", { user, hash }) !== undefined;

  bytes = (user: string): number =>
    Number(this.#database.get("SELECT picture_bytes FROM users WHERE user_id = :user", { user })?.picture_bytes ?? 0);

  /** Saves a picture that is not kept, unless it is. */
  note(user: string, itemId: number, { url, tries, retryAt = null }: FailedPicture): void {
    this.#database.run(
      `INSERT INTO article_pictures (user, item_id, url, tries, retry_at) VALUES (:user, :itemId, :url, :tries, :retryAt)
       ON CONFLICT DO UPDATE SET tries = excluded.tries, retry_at = excluded.retry_at WHERE hash IS NULL`,
      { user, itemId, url, tries, retryAt },
    );
  }

  /** Replaces a saved picture of an article; returns the hash of the old picture if no article uses it any more. */
  replace(user: string, itemId: number, url: string, { hash, bytes }: { hash: string; bytes: number }): string[] {
    const before = this.#database.get(
      "SELECT hash FROM article_pictures WHERE user = :user AND item_id = :itemId AND url = :url",
      { user, itemId, url },
    )?.hash;
    if (!this.isCounted(user, hash)) {
      this.#database.run("INSERT INTO pictures (user, hash, bytes) VALUES (:user, :hash, :bytes)", {
        user,
        hash,
        bytes,
      });
      this.#countBytes(user, bytes);
    }
    this.#database.run(
      `INSERT OR REPLACE INTO article_pictures (user, item_id, url, hash, tries) VALUES (:user, :itemId, :url, :hash, 0)`,
      { user, itemId, url, hash },
    );
    return before == null ? [] : this.#dropUnused(user, [String(before)]);
  }

  /** Deletes the rows of an item, or of one address; returns the hashes that no article has any more. */
  forget(user: string, itemId: number, url?: string): string[] {
    const rows = this.#database.all(
      `DELETE FROM article_pictures WHERE user = :user AND item_id = :itemId AND url = coalesce(:url, url) RETURNING hash`,
      { user, itemId, url: url ?? null },
    );
    return this.#dropUnused(user, [...new Set(rows.flatMap(({ hash }) => (hash == null ? [] : [String(hash)])))]);
  }

  /** Deletes the row of a picture whose file is lost. */
  forgetLost(user: string, itemId: number, url: string, files: PictureFiles): void {
    const sql = `SELECT hash, bytes FROM article_pictures LEFT JOIN pictures USING (user, hash)
      WHERE article_pictures.user = :user AND item_id = :itemId AND url = :url AND hash IS NOT NULL`;
    const row = this.#database.get(sql, { user, itemId, url });
    if (row && files.isLost(user, String(row.hash), Number(row.bytes))) this.forget(user, itemId, url);
  }

  /** Stops counting pictures that no article has; returns them. */
  #dropUnused(user: string, hashes: readonly string[]): string[] {
    return hashes.filter((hash) => {
      const isUsed = this.#database.get("SELECT 1 FROM article_pictures WHERE user = :user AND hash = :hash LIMIT 1", {
        user,
        hash,
      });
      if (isUsed) return false;
      const dropped = this.#database.get("DELETE FROM pictures WHERE user = :user AND hash = :hash RETURNING bytes", {
        user,
        hash,
      });
      if (dropped) this.#countBytes(user, -Number(dropped.bytes));
      return true;
    });
  }

  /** Deletes the pictures of users without articles. */
  deleteAll(user: string): void {
    for (const table of ["article_pictures", "pictures"])
      this.#database.run(`DELETE FROM ${table} WHERE user = :user`, { user });
  }

  #countBytes(user: string, bytes: number): void {
    this.#database.run("UPDATE users SET picture_bytes = picture_bytes + :bytes WHERE user_id = :user", {
      user,
      bytes,
    });
  }
}

/** The pictures of kept articles: rows in the database, and files beside it. */
export function createPictureStore(database: Database, files: PictureFiles): PictureStore {
  const rows = new PictureRows(database);
  /** A picture whose file is lost counts as never read. */
  const findPicture = (user: string, row: Row): ArticlePicture => {
    const isLost = row.hash != null && files.isLost(user, String(row.hash), Number(row.bytes));
    return {
      url: String(row.url),
      hash: row.hash == null || isLost ? undefined : String(row.hash),
      tries: Number(row.tries),
      retryAt: isLost ? 0 : optional(row.retry_at),
    };
  };
  /** Throws if the user is gone; false if the article is. */
  const isKept = (username: string, user: string, itemId: number): boolean => {
    const row = findRow(database, username);
    if (row?.user_id !== user || row.deleting_since != null) throw wrongCredentials();
    const sql = "SELECT 1 FROM articles WHERE user = :user AND item_id = :itemId";
    return database.get(sql, { user, itemId }) !== undefined;
  };

  return {
    async list({ userId: user }, itemId) {
      const sql = `SELECT url, hash, tries, retry_at, bytes FROM article_pictures LEFT JOIN pictures USING (user, hash)
        WHERE article_pictures.user = :user AND item_id = :itemId`;
      return database.all(sql, { user, itemId: Number(itemId) }).map((row) => findPicture(user, row));
    },

    async keep({ username, userId: user }, itemId, { url, content }, quota) {
      const hash = hashPicture(content);
      const bytes = content.length;
      const lacking = () => (rows.isCounted(user, hash) ? 0 : Math.max(0, rows.bytes(user) + bytes - quota));
      if (lacking() > 0) return lacking();
      for (let writes = 1; writes <= maxWrites; writes++) {
        await files.put(user, hash, content);
        const outcome = await database.save(() => {
          if (!isKept(username, user, Number(itemId))) return { unused: [hash] };
          if (!files.has(user, hash)) return undefined;
          const over = lacking();
          if (over > 0) return { over, unused: [hash] };
          return { over, unused: rows.replace(user, Number(itemId), url, { hash, bytes }) };
        });
        if (!outcome) continue;
        await files.removeUnused(user, outcome.unused);
        return outcome.over;
      }
      throw new ServiceError("unavailable", "the picture could not be stored; try again", { retryAfter: 1 });
    },

    async note({ username, userId: user }, itemId, picture) {
      await database.save(() => {
        if (!isKept(username, user, Number(itemId))) return;
        rows.forgetLost(user, Number(itemId), picture.url, files);
        rows.note(user, Number(itemId), picture);
      });
    },

    async forget({ userId: user }, itemId, urls) {
      const unused = await database.save(() => urls.flatMap((url) => rows.forget(user, Number(itemId), url)));
      await files.removeUnused(user, unused);
    },

    async delete({ userId: user }, itemIds) {
      const ids = itemIds.map(Number).filter((itemId) => rows.has(user, itemId));
      for (const some of splitList(ids, itemsAtOnce)) {
        const unused = await database.save(() => some.flatMap((itemId) => rows.forget(user, itemId)));
        await files.removeUnused(user, unused);
      }
    },

    async sizes({ userId: user }, itemIds) {
      const sql = `SELECT coalesce(sum(bytes), 0) AS bytes FROM pictures WHERE user = :user AND hash IN
        (SELECT hash FROM article_pictures AS own WHERE user = :user AND item_id = :itemId AND hash IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM article_pictures AS other
            WHERE other.user = :user AND other.hash = own.hash AND other.item_id <> :itemId))`;
      const sizes = itemIds.map(
        (itemId) => [itemId, Number(database.get(sql, { user, itemId: Number(itemId) })?.bytes)] as const,
      );
      return new Map(sizes.filter(([, bytes]) => bytes > 0));
    },

    bytes: async ({ userId }) => rows.bytes(userId),

    find: async (userId, hash) => (rows.isCounted(userId, hash) ? files.find(userId, hash) : undefined),
  };
}
