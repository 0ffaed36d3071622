// SPDX-License-Identifier: MIT

import type { Item } from "@reading-list/core/domain/item.ts";
import { isSameState, type OperatorStore } from "@reading-list/core/ports/operator.ts";
import { assignAll, type Database, toJson } from "./database.ts";
import { highlightsAtOnce, readHighlights, saveHighlight, selectHighlights } from "./highlights.ts";
import { readItems, saveItem, selectItems } from "./item-rows.ts";
import { parseRecord, rowsAtOnce, walk } from "./user-records.ts";
import { findRow } from "./users.ts";

/** Moves of users between databases. */
export const createListMoves = (
  database: Database,
): Pick<OperatorStore, "walkRecords" | "replaceUser" | "writeRecords" | "walkHighlights" | "writeHighlights"> => ({
  async *walkRecords(username) {
    const user = Number(findRow(database, username)?.id ?? 0);
    const sql = `${selectItems} AND item_id > :after ORDER BY item_id LIMIT ${rowsAtOnce}`;
    yield* walk<Item>((last) => readItems(database, sql, { user, after: Number(last?.itemId ?? -1) }));
  },
  replaceUser: (before, after) =>
    database.save(() => {
      const { username, userId } = after;
      const row = findRow(database, username);
      if (!isSameState(row && parseRecord(row), before)) return false;
      if (!before) database.run("DELETE FROM deleted_users WHERE user_id = :userId", { userId });
      database.run(
        `INSERT INTO users (username, user_id, user_since) VALUES (:username, :userId, :userSince)
         ON CONFLICT DO UPDATE SET user_id = :userId`,
        { username, userId, userSince: after.userSince },
      );
      const values = {
        password_hash: after.passwordHash ?? null,
        count_unread: after.countUnread,
        count_read: after.countRead,
        last_since: after.lastSince,
        changed_at: after.changedAt,
        deleted_at: after.deletedAt,
        revision: after.revision,
        last_number: after.lastNumber ?? 0,
        calls: after.calls,
        public_calls: after.publicCalls,
        window_start: after.windowStart,
        // Version 0.3.0 requires `latest`.
        walks: toJson(after.walks.latest && after.walks),
        unfinished: toJson(after.unfinished),
        repaired: toJson(after.repaired),
        first_sync_up_to: after.firstSyncUpTo ?? null,
        highlights_at: after.highlightsAt,
        highlights: after.highlights,
        kept_at: after.keptAt,
        keeps_pages: after.keepsPages === undefined ? null : Number(after.keepsPages),
        is_suspended: Number(after.isSuspended === true),
        moving: toJson(after.moving),
        moved: toJson(after.moved),
      };
      database.run(`UPDATE users SET ${assignAll(values)} WHERE username = :username`, { ...values, username });
      // After a move, or after a clock was repaired: a later time would hide them.
      database.run("UPDATE kept_pages SET time_updated = :keptAt WHERE user = :userId AND time_updated > :keptAt", {
        userId,
        keptAt: after.keptAt,
      });
      return true;
    }),
  writeRecords: (username, moveId, items) =>
    database.save(() => {
      const user = findMoved(database, username, moveId);
      if (user === undefined) return false;
      for (const item of items) saveItem(database, user, item);
      return true;
    }),
  async *walkHighlights({ username, userId }) {
    const row = findRow(database, username);
    if (row?.user_id !== userId) return;
    const sql = `${selectHighlights} AND highlight_id > :after ORDER BY highlight_id LIMIT ${highlightsAtOnce}`;
    for (let after = ""; ; ) {
      const found = readHighlights(database, sql, { user: Number(row.id), after });
      if (found.length > 0) yield found;
      if (found.length < highlightsAtOnce) return;
      after = found.at(-1)?.id ?? "";
    }
  },
  writeHighlights: ({ username }, moveId, highlights) =>
    database.save(() => {
      const user = findMoved(database, username, moveId);
      if (user === undefined) return false;
      for (const highlight of highlights) saveHighlight(database, user, highlight);
      return true;
    }),
});

/** The id of a user's row, if the move `moveId` to it is under way. */
function findMoved(database: Database, username: string, moveId: string): number | undefined {
  const row = findRow(database, username);
  const isMoving = row && parseRecord(row).moving?.id === moveId && row.deleting_since == null;
  return isMoving ? Number(row.id) : undefined;
}
