// SPDX-License-Identifier: MIT

import type { Item } from "@reading-list/core/domain/item.ts";
import type { ExaminedList, OperatorStore, UserRecord } from "@reading-list/core/operator-ports.ts";
import { type Database, optional, parseJson, type Row } from "./database.ts";
import { countKinds } from "./item-rows.ts";
import { readUpwards } from "./list-query.ts";
import { findRow, userOf } from "./users.ts";

/** Rows that are read in one turn of the event loop: some 10 ms. */
export const rowsAtOnce = 1000;

export function recordOf(row: Row): UserRecord {
  const { createdAt: userSince, clock, passwordHash, ...user } = userOf(row);
  return {
    ...{ ...user, ...clock, userSince },
    lastNumber: Number(row.last_number),
    passwordHash: passwordHash || undefined,
    deletingSince: optional(row.deleting_since),
    moving: parseJson(row.moving),
    moved: parseJson(row.moved),
  };
}

/** Pages of what `read` returns after the last element of the page before. */
export async function* walk<T>(read: (last: T | undefined) => T[]): AsyncGenerator<T[]> {
  for (let last: T | undefined, page: T[]; ; last = page.at(-1)) {
    page = read(last);
    if (page.length > 0) yield page;
    if (page.length < rowsAtOnce) return;
  }
}

/** The records of users, and the counts of their lists. */
export function createUserRecords(
  database: Database,
): Pick<
  OperatorStore,
  "walkUsers" | "findUser" | "setPasswordHash" | "recountList" | "findDriftedUsers" | "walkItems"
> {
  function examine(username: string): ExaminedList | undefined {
    const row = findRow(database, username);
    if (row?.password_hash == null) return undefined;
    const record = recordOf(row);
    const [unread, read] = countKinds(database, Number(row.id));
    return { record, counts: { unread, read }, isDrifted: unread !== record.countUnread || read !== record.countRead };
  }

  async function* walkUsers() {
    const sql = `SELECT * FROM users WHERE id > :after ORDER BY id LIMIT ${rowsAtOnce}`;
    for await (const rows of walk<Row>((last) => database.all(sql, { after: Number(last?.id ?? 0) }))) {
      yield rows.map(recordOf);
    }
  }

  return {
    walkUsers,
    async findUser(username) {
      const row = findRow(database, username);
      return row && recordOf(row);
    },
    setPasswordHash: (username, passwordHash) =>
      database.save(
        () =>
          database.run(
            `UPDATE users SET password_hash = :passwordHash
             WHERE username = :username AND password_hash IS NOT NULL`,
            { username, passwordHash },
          ) === 1,
      ),
    recountList: (username) =>
      database.save(() => {
        const examined = examine(username);
        if (examined?.isDrifted) {
          database.run("UPDATE users SET count_unread = :unread, count_read = :read WHERE username = :username", {
            ...{ username, ...examined.counts },
          });
        }
        return examined;
      }),
    async *findDriftedUsers() {
      for await (const users of walkUsers()) {
        for (const { username } of users) if (examine(username)?.isDrifted) yield username;
      }
    },
    async *walkItems(username) {
      const user = Number(findRow(database, username)?.id ?? 0);
      yield* walk<Item>((last) => readUpwards(database, user, last, rowsAtOnce));
    },
  };
}
