// SPDX-License-Identifier: MIT

import { hasRoom } from "@reading-list/core/domain/limits.ts";
import type { KeyWindowStore } from "@reading-list/core/ports/applications.ts";
import type { Database } from "./database.ts";

/** Counts the calls of each application, and of each address with a public key, by window. */
export function createKeyWindowStore(database: Database): KeyWindowStore {
  const read = (id: string, windowStart: number) =>
    Number(
      database.get("SELECT calls FROM key_windows WHERE id = :id AND window_start = :windowStart", {
        id,
        windowStart,
      })?.calls ?? 0,
    );
  const add = (id: string, windowStart: number, calls: number) =>
    database.run(
      `INSERT INTO key_windows VALUES (:id, :windowStart, :calls)
       ON CONFLICT DO UPDATE SET calls = max(0, calls + :calls)`,
      { id, windowStart, calls },
    );
  return {
    countCall: (id, windowStart, limit, calls) =>
      database.write(
        () => {
          const used = read(id, windowStart);
          if (!hasRoom(limit, used, calls)) return { counted: false, calls: used };
          add(id, windowStart, calls);
          return { counted: true, calls: used + calls };
        },
        { mayBeLost: true },
      ),
    addCalls: (id, windowStart, calls) =>
      database.write(
        () => {
          add(id, windowStart, calls);
          return read(id, windowStart);
        },
        { mayBeLost: true },
      ),
    read: async (id, windowStart) => read(id, windowStart),
  };
}
