// SPDX-License-Identifier: MIT

import { splitList } from "@reading-list/core/domain/split-list.ts";
import { wrongCredentials } from "@reading-list/core/errors.ts";
import type { ClosedUser } from "@reading-list/core/ports/users.ts";
import type { Database } from "./database.ts";
import { findRow } from "./users.ts";

const idColumns = { items: "item_id", highlights: "highlight_id" } as const;

/** Records that one step of a transaction numbers: of the longest ones some 5 ms. */
const numberedAtOnce = 50;

/**
 * Gives the next numbers of a user to the records of a table without numbers. Returns the numbers of all existing
 * records, by id.
 */
export async function assignNumbers(
  database: Database,
  user: ClosedUser,
  table: keyof typeof idColumns,
  ids: readonly string[],
): Promise<Map<string, number>> {
  // They share transactions, which end after some milliseconds.
  const numbered = splitList(ids, numberedAtOnce).map((part) =>
    database.save(() => numberRecords(database, user, table, part)),
  );
  return new Map((await Promise.all(numbered)).flat());
}

function numberRecords(
  database: Database,
  { username, userId }: ClosedUser,
  table: keyof typeof idColumns,
  ids: readonly string[],
): [string, number][] {
  const row = findRow(database, username);
  if (row?.user_id !== userId) throw wrongCredentials();
  const user = Number(row.id);
  let last = Number(row.last_number);
  const numbers: [string, number][] = [];
  for (const id of ids) {
    const stored = database.get(
      `UPDATE ${table} SET number = coalesce(number, :next) WHERE user = :user AND ${idColumns[table]} = :id RETURNING number`,
      { user, id: table === "items" ? Number(id) : id, next: last + 1 },
    );
    if (!stored) continue;
    numbers.push([id, Number(stored.number)]);
    last = Math.max(last, Number(stored.number));
  }
  database.run("UPDATE users SET last_number = :last WHERE id = :user", { user, last });
  return numbers;
}
