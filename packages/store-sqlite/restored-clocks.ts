// SPDX-License-Identifier: MIT

import type { DatabaseSync } from "node:sqlite";
import { clockAfterRestore } from "@reading-list/core/domain/user-clock.ts";

const name = "restored";

/** When a database was restored, in unix seconds, and the newest times of the lists in its place, by user_id. */
interface Restored {
  now: number;
  newest: Record<string, number>;
}

/**
 * Records a restore in a database of any version: the next process that opens it turns every earlier `since` into a
 * first sync.
 */
export function noteRestore(database: DatabaseSync, restored: Restored): void {
  const sql = "INSERT INTO settings VALUES (:name, :value) ON CONFLICT DO UPDATE SET value = :value";
  database.prepare(sql).run({ name, value: JSON.stringify(restored) });
}

/** Moves the clocks of a database that was restored, once; it must have the present version. */
export function moveRestoredClocks(database: DatabaseSync): void {
  const find = database.prepare("SELECT value FROM settings WHERE name = :name");
  if (find.get({ name }) === undefined) return;
  database.exec("BEGIN IMMEDIATE");
  try {
    // Another process may have done it meanwhile.
    const { value = '{"newest":{}}' } = find.get({ name }) ?? {};
    const { now, newest } = JSON.parse(String(value)) as Partial<Restored> & Pick<Restored, "newest">;
    const update = database.prepare(
      `UPDATE users SET last_since = :lastSince, highlights_at = :highlightsAt, first_sync_up_to = :firstSyncUpTo,
       repaired = coalesce(:repaired, repaired) WHERE id = :id`,
    );
    const sql = "SELECT id, user_id, last_since, changed_at, highlights_at, kept_at FROM users";
    for (const row of now === undefined ? [] : database.prepare(sql).all()) {
      const [lastSince, changedAt] = [Number(row.last_since), Number(row.changed_at)];
      const clock = { lastSince, changedAt, highlightsAt: Number(row.highlights_at), keptAt: Number(row.kept_at) };
      const moved = clockAfterRestore(clock, Number(now), newest[String(row.user_id)]);
      update.run({
        id: Number(row.id),
        lastSince: moved.lastSince,
        highlightsAt: moved.highlightsAt,
        firstSyncUpTo: Number(moved.firstSyncUpTo),
        repaired: moved.repaired ? JSON.stringify(moved.repaired) : null,
      });
    }
    database.prepare("DELETE FROM settings WHERE name = :name").run({ name });
    database.exec("COMMIT");
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}
