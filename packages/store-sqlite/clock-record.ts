// SPDX-License-Identifier: MIT

import type { ClockRecord } from "@reading-list/core/domain/clock-check.ts";
import type { ClockStore } from "@reading-list/core/ports/clock.ts";
import { type Database, optional, parseJson, type Row } from "./database.ts";

/** The name of the setting. */
export const clockName = "clock";

/** A connection to a database, of this version or an earlier one. */
interface Readable {
  get(sql: string, parameters: Record<string, string | number>): Row | undefined;
}

/** The record that a database has of the machine's clock. */
export const findClock = (database: Readable): ClockRecord =>
  parseJson(database.get("SELECT value FROM settings WHERE name = :clockName", { clockName })?.value) ?? {};

/** The newest time of a list up to `now`. */
export function newestChange(database: Readable, now: number): number | undefined {
  const times = ["changed_at", "last_since", "user_since"].map(
    (column) => `SELECT max(${column}) AS time FROM users WHERE ${column} <= :now`,
  );
  return optional(database.get(`SELECT max(time) AS time FROM (${times.join(" UNION ALL ")})`, { now })?.time);
}

export const createClockStore = (database: Database): ClockStore => ({
  find: async () => findClock(database),
  async save(record) {
    const values = { clockName, value: JSON.stringify(record) };
    await database.save(() => database.run("INSERT OR REPLACE INTO settings VALUES (:clockName, :value)", values));
  },
  newestChange: async (now) => newestChange(database, now),
});
