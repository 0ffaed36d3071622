// SPDX-License-Identifier: MIT

import { erased, isAsSeen } from "@reading-list/core/domain/item.ts";
import { splitList } from "@reading-list/core/domain/split-list.ts";
import { yieldIfLong } from "@reading-list/core/domain/turns.ts";
import { wrongCredentials } from "@reading-list/core/errors.ts";
import type { TrashStore } from "@reading-list/core/ports/items.ts";
import type { Database } from "./database.ts";
import { findItem, parseRevision, readItems, saveItem, selectItems } from "./item-rows.ts";
import { findRow } from "./users.ts";

/** Items that are read or erased in one turn of the event loop: some 5 ms. */
const itemsAtOnce = 300;

/** The trash: deleted items (`kind` 2) with a `trashed_state`. */
export const createTrashStore = (database: Database): TrashStore => ({
  async *walk({ username, userId }, { order, after = -1, upTo = Number.MAX_SAFE_INTEGER }) {
    const row = findRow(database, username);
    if (row?.user_id !== userId) return;
    const [direction, beyond] = order === "newestFirst" ? ["DESC", "<"] : ["ASC", ">"];
    const sql = `${selectItems} AND kind = 2 AND trashed_state IS NOT NULL AND time_updated > :after AND time_updated <= :upTo
      AND (time_updated, change) ${beyond} (:time, :change)
      ORDER BY time_updated ${direction}, change ${direction} LIMIT ${itemsAtOnce}`;
    const start = order === "newestFirst" ? Number.MAX_SAFE_INTEGER : -1;
    for (let [time, change] = [start, start]; ; ) {
      await yieldIfLong();
      const items = readItems(database, sql, { user: Number(row.id), after, upTo, time, change });
      const last = items.at(-1);
      if (!last) return;
      yield items;
      if (items.length < itemsAtOnce) return;
      [time, change] = [last.timeUpdated, parseRevision(last.changeKey)];
    }
  },

  async erase({ username, userId }, items) {
    for (const part of splitList(items, itemsAtOnce)) {
      await database.save(() => {
        const row = findRow(database, username);
        if (row?.password_hash == null || row.user_id !== userId) throw wrongCredentials();
        const user = Number(row.id);
        for (const item of part) {
          if (isAsSeen(findItem(database, user, item.itemId), item)) saveItem(database, user, erased(item));
        }
        // A move that is copying the list copies it again.
        database.run("UPDATE users SET revision = revision + 1 WHERE id = :user", { user });
      });
    }
  },

  async *due(upTo) {
    const rows = database.all(
      `SELECT username, user_id FROM users WHERE id IN
       (SELECT user FROM items WHERE trashed_state IS NOT NULL AND time_updated <= :upTo) AND password_hash IS NOT NULL`,
      { upTo },
    );
    for (const { username, user_id } of rows) {
      yield { user: { username: String(username), userId: String(user_id) }, settle: async () => {} };
    }
  },
});
