// SPDX-License-Identifier: MIT

import { summarise } from "@reading-list/core/domain/article-summary.ts";
import { decodeArticle, encodeArticle } from "@reading-list/core/domain/kept-article.ts";
import { afterKeeping, chooseKeptTime } from "@reading-list/core/domain/kept-page.ts";
import { splitList } from "@reading-list/core/domain/split-list.ts";
import { nextTurn } from "@reading-list/core/domain/turns.ts";
import { wrongCredentials } from "@reading-list/core/errors.ts";
import type { ArticleOwner, ArticleStore } from "@reading-list/core/ports/articles.ts";
import type { Database } from "./database.ts";
import { findPage, savePage } from "./kept-pages.ts";
import type { PictureFiles } from "./picture-files.ts";
import { PictureRows } from "./pictures.ts";
import { findRow, parseUser } from "./users.ts";

/** Sizes that are read in one turn of the event loop. */
const sizesAtOnce = 1000;

/**
 * Maximum articles that one transaction deletes, with up to 100 pictures each, so that the service does not wait for
 * all of them.
 */
const articlesAtOnce = 20;

/**
 * The kept articles, compressed, in the database file: backups, transactions and overwriting deletions cover them. The
 * pictures of an article go with it.
 */
export function createArticleStore(database: Database, pictureFiles: PictureFiles): ArticleStore {
  const pictures = new PictureRows(database);
  const findSize = (user: string, itemId: number) => {
    const row = database.get("SELECT length(content) AS size FROM articles WHERE user = :user AND item_id = :itemId", {
      user,
      itemId,
    });
    return row && Number(row.size);
  };
  const countFor = (user: string, articles: number, bytes: number) =>
    database.run(
      "UPDATE users SET articles = articles + :articles, article_bytes = article_bytes + :bytes WHERE user_id = :user",
      { user, articles, bytes },
    );

  return {
    async find({ userId: user }, itemId, budget) {
      const row = database.get("SELECT content FROM articles WHERE user = :user AND item_id = :itemId", {
        user,
        itemId: Number(itemId),
      });
      return row && decodeArticle(row.content as Uint8Array, budget);
    },

    async keep({ username, userId: user }: ArticleOwner, itemId, article, quota) {
      const content = await encodeArticle(article);
      const summary = summarise(article);
      return database.save(() => {
        const row = findRow(database, username);
        if (row?.user_id !== user || row.deleting_since != null) throw wrongCredentials();
        const before = findSize(user, Number(itemId));
        const growth = content.length - (before ?? 0);
        const lacking = Number(row.article_bytes) + growth - quota;
        if (growth > 0 && lacking > 0) return lacking;
        database.run(
          `INSERT INTO articles (user, item_id, content) VALUES (:user, :itemId, :content)
           ON CONFLICT (user, item_id) DO UPDATE SET content = excluded.content`,
          { user, itemId: Number(itemId), content },
        );
        countFor(user, before === undefined ? 1 : 0, growth);
        const timeUpdated = chooseKeptTime(article.keptAt, parseUser(row).clock);
        savePage(database, user, afterKeeping(findPage(database, user, itemId), itemId, article, summary, timeUpdated));
        database.run("UPDATE users SET kept_at = :timeUpdated WHERE user_id = :user", { timeUpdated, user });
        return 0;
      });
    },

    async sizes({ userId: user }, itemIds) {
      const rows = database.tuples(
        `SELECT item_id, length(content) FROM json_each(:ids) AS ids
         CROSS JOIN articles ON user = :user AND item_id = ids.value ORDER BY ids.key`,
        { user, ids: `[${itemIds.join()}]` },
      );
      return new Map(rows.map(([itemId, size]) => [String(itemId), Number(size)]));
    },

    async allSizes({ userId: user }) {
      const sizes = new Map<string, number>();
      for (let last = -1; ; await nextTurn()) {
        const rows = database.all(
          `SELECT item_id, length(content) AS size FROM articles WHERE user = :user AND item_id > :last
           ORDER BY item_id LIMIT :limit`,
          { user, last, limit: sizesAtOnce },
        );
        for (const { item_id: id, size } of rows) sizes.set(String(id), Number(size));
        if (rows.length < sizesAtOnce) return sizes;
        last = Number(rows.at(-1)?.item_id);
      }
    },

    async delete({ userId: user }, itemIds) {
      for (const part of splitList(itemIds, articlesAtOnce)) {
        const ids = part.map(Number);
        // Most items have none, and need no transaction.
        if (!ids.some((itemId) => findSize(user, itemId) !== undefined)) continue;
        const unused: string[] = [];
        await database.save(() => {
          for (const itemId of ids) {
            unused.push(...pictures.forget(user, itemId));
            const deleted = database.get(
              "DELETE FROM articles WHERE user = :user AND item_id = :itemId RETURNING length(content) AS size",
              { user, itemId },
            );
            if (deleted) countFor(user, -1, -Number(deleted.size));
          }
        });
        await pictureFiles.removeUnused(user, unused);
      }
    },

    async deleteAll(owner) {
      for (;;) {
        const rows = database.all("SELECT item_id FROM articles WHERE user = :user LIMIT :limit", {
          user: owner.userId,
          limit: articlesAtOnce,
        });
        if (rows.length === 0) break;
        await this.delete(
          owner,
          rows.map((row) => String(row.item_id)),
        );
      }
      await database.save(() => pictures.deleteAll(owner.userId));
      await pictureFiles.removeAll(owner.userId);
    },

    async *walk({ userId: user }) {
      for (let last = -1; ; ) {
        const row = database.get(
          "SELECT item_id, content FROM articles WHERE user = :user AND item_id > :last ORDER BY item_id LIMIT 1",
          { user, last },
        );
        if (!row) return;
        last = Number(row.item_id);
        const article = await decodeArticle(row.content as Uint8Array);
        if (article) yield { itemId: String(last), article };
      }
    },
  };
}
