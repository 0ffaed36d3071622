// SPDX-License-Identifier: MIT

import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type ClockVerdict, judgeClock } from "@reading-list/core/domain/clock-check.ts";
import { findClock, newestChange } from "@reading-list/store-sqlite/clock-record.ts";
import { fileName } from "@reading-list/store-sqlite/database.ts";
import { findLastBackup } from "./last-backup.ts";

/**
 * The verdict on the clock by the database of a data folder, of this version or an earlier one. It writes nothing,
 * because only runs of the service count, not runs of commands.
 */
export function judgeFolder(folder: string, now: number): ClockVerdict {
  const connection = new DatabaseSync(path.join(folder, fileName), { readOnly: true, timeout: 10_000 });
  try {
    const database = {
      get: (sql: string, parameters: Record<string, string | number>) => connection.prepare(sql).get(parameters),
    };
    const known = [newestChange(database, now), findLastBackup(folder)].filter((time) => time !== undefined);
    return judgeClock(findClock(database), now, known);
  } finally {
    connection.close();
  }
}
