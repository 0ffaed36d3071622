// SPDX-License-Identifier: MIT

import type { Database } from "./database.ts";

/** Seconds by which the reserve is ahead of the clock: one `get` a minute waits for its own sync. */
const reserveSeconds = 60;
const name = "since_reserve";

/**
 * A durably stored time that is not earlier than any `since` returned from the clock. So a `get` needs no sync,
 * although a power cut may undo the user's `last_since`: the next start raises every user's to the reserve.
 */
export class SinceReserve {
  readonly #database: Database;
  #until = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Extends the reserve if `now` (unix seconds) is behind it, before an answer has that time as its `since`. */
  async cover(now: number): Promise<void> {
    if (now <= this.#until) return;
    const until = now + reserveSeconds;
    await this.#database.saveFirst(() => {
      this.#database.run("INSERT INTO settings VALUES (:name, :until) ON CONFLICT DO UPDATE SET value = :until", {
        name,
        until: String(until),
      });
    });
    this.#until = Math.max(this.#until, until);
  }
}

/** Raises every `last_since` above all that an earlier process may have answered, whatever the clock says now. */
export function raiseToReserve(database: Database): Promise<void> {
  return database.saveFirst(() => {
    const until = Number(database.get("SELECT value FROM settings WHERE name = :name", { name })?.value ?? 0);
    if (until === 0) return;
    database.run("UPDATE users SET last_since = max(:until, changed_at) WHERE last_since < max(:until, changed_at)", {
      until,
    });
    releaseReserve(database);
  });
}

/** The reserve is not needed after a clean stop, when every `last_since` is on the disk. */
export const releaseReserve = (database: Database) => database.run("DELETE FROM settings WHERE name = :name", { name });
