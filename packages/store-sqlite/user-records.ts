// SPDX-License-Identifier: MIT

import type { Item } from "@reading-list/core/domain/item.ts";
import { driftedTotals, type ListTotals } from "@reading-list/core/domain/list-counts.ts";
import type { ExaminedList, OperatorStore, UserRecord } from "@reading-list/core/ports/operator.ts";
import { assignAll, type Database, optional, parseJson, type Row } from "./database.ts";
import { countKinds } from "./item-rows.ts";
import { readUpwards } from "./list-query.ts";
import { removeSecondFactor } from "./passkeys.ts";
import { findRow, parseUser } from "./users.ts";

/** Rows that are read in one turn of the event loop: some 10 ms. */
export const rowsAtOnce = 1000;

export function parseRecord(row: Row): UserRecord {
  const { createdAt: userSince, clock, passwordHash, ...user } = parseUser(row);
  return {
    ...user,
    ...clock,
    userSince,
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
  "walkUsers" | "findUser" | "setPasswordHash" | "recountList" | "findDriftedLists" | "walkItems"
> {
  function examine(username: string): ExaminedList | undefined {
    const row = findRow(database, username);
    if (row?.password_hash == null) return undefined;
    const record = parseRecord(row);
    const [user, userId] = [Number(row.id), record.userId];
    const [countUnread, countRead] = countKinds(database, user);
    const marked = database.get("SELECT count(*) AS highlights FROM highlights WHERE user = :user AND is_deleted = 0", {
      user,
    });
    const kept = database.get(
      "SELECT count(*) AS articles, coalesce(sum(length(content)), 0) AS bytes FROM articles WHERE user = :userId",
      { userId },
    );
    const counts: ListTotals = {
      countUnread,
      countRead,
      highlights: Number(marked?.highlights),
      articles: Number(kept?.articles),
      articleBytes: Number(kept?.bytes),
    };
    return { record, counts, isDrifted: driftedTotals(record, counts).length > 0 };
  }

  async function* walkUsers() {
    const sql = `SELECT * FROM users WHERE id > :after ORDER BY id LIMIT ${rowsAtOnce}`;
    for await (const rows of walk<Row>((last) => database.all(sql, { after: Number(last?.id ?? 0) }))) {
      yield rows.map(parseRecord);
    }
  }

  return {
    walkUsers,
    async findUser(username) {
      const row = findRow(database, username);
      return row && parseRecord(row);
    },
    setPasswordHash: (username, passwordHash) =>
      database.save(() => {
        const changed = database.run(
          `UPDATE users SET password_hash = :passwordHash, is_suspended = 0
           WHERE username = :username AND password_hash IS NOT NULL`,
          { username, passwordHash },
        );
        if (changed === 1) removeSecondFactor(database, username);
        return changed === 1;
      }),
    recountList: (username) =>
      database.save(() => {
        const examined = examine(username);
        if (examined?.isDrifted) {
          const { countUnread, countRead, highlights, articles, articleBytes } = examined.counts;
          const values = {
            count_unread: countUnread,
            count_read: countRead,
            highlights,
            articles,
            article_bytes: articleBytes,
          };
          database.run(`UPDATE users SET ${assignAll(values)} WHERE username = :username`, { ...values, username });
        }
        return examined;
      }),
    async *findDriftedLists() {
      for await (const users of walkUsers()) {
        for (const { username } of users) {
          const examined = examine(username);
          if (examined?.isDrifted) yield examined;
        }
      }
    },
    async *walkItems(username) {
      const user = Number(findRow(database, username)?.id ?? 0);
      yield* walk<Item>((last) => readUpwards(database, user, last, rowsAtOnce));
    },
  };
}
