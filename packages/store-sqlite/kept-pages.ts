// SPDX-License-Identifier: MIT

import {
  afterReading,
  chooseKeptTime,
  isSamePage,
  isVisibleChange,
  type KeptPage,
  type KeptState,
  keptStates,
} from "@reading-list/core/domain/kept-page.ts";
import { nextTurn } from "@reading-list/core/domain/turns.ts";
import { wrongCredentials } from "@reading-list/core/errors.ts";
import type { ArticleOwner } from "@reading-list/core/ports/articles.ts";
import type { KeeperStore, KeptPageStore } from "@reading-list/core/ports/kept-pages.ts";
import { type Database, optional, type Row, type Tuple, toJson, writeInsert } from "./database.ts";
import { findLastChange, kindNumbers, parseRevision, readItems, selectItems } from "./item-rows.ts";
import { findRow, parseUser } from "./users.ts";

/** Rows that are read in one turn of the event loop: some 2 ms. */
const rowsAtOnce = 500;

const columns =
  "item_id, state, error, tries, next_try, site, is_asked, words, excerpt, image, time_added, time_updated";
const selectPages = `SELECT ${columns} FROM kept_pages WHERE user = :user`;

/** The values of the column `state`. */
const stateNumbers: Record<KeptState, number> = { kept: 0, waiting: 1, failed: 2 };

/** `row`: in the order of `columns`. */
function parsePage(row: Tuple): KeptPage {
  const [itemId, state, error, tries, nextTry, site, isAsked, words, excerpt, image, timeAdded, timeUpdated] = row;
  return {
    itemId: String(itemId),
    state: keptStates[Number(state)] ?? "failed",
    error: String(error),
    tries: Number(tries),
    nextTry: optional(nextTry),
    site: String(site),
    isAsked: isAsked === 1,
    ...(words != null && { words: Number(words), excerpt: String(excerpt), image: String(image) }),
    timeAdded: Number(timeAdded),
    timeUpdated: Number(timeUpdated),
  };
}

const readPages = (database: Database, sql: string, parameters: Record<string, string | number>): KeptPage[] =>
  database.tuples(sql, parameters).map(parsePage);

/** `user`: user_id of users. */
export const findPage = (database: Database, user: string, itemId: string): KeptPage | undefined =>
  readPages(database, `${selectPages} AND item_id = :itemId`, { user, itemId: Number(itemId) })[0];

/** Writes or replaces the record of a page. */
export function savePage(database: Database, user: string, page: KeptPage): void {
  const values = {
    user,
    item_id: Number(page.itemId),
    state: stateNumbers[page.state],
    error: page.error,
    tries: page.tries,
    next_try: page.nextTry ?? null,
    site: page.site,
    is_asked: Number(page.isAsked),
    words: page.words ?? null,
    excerpt: page.excerpt ?? null,
    image: page.image ?? null,
    time_added: page.timeAdded,
    time_updated: page.timeUpdated,
  };
  insertPage ??= writeInsert("kept_pages", values).replace("INSERT", "INSERT OR REPLACE");
  database.run(insertPage, values);
}

let insertPage: string | undefined;

/** The row of a user who is there; undefined if the user was deleted, or is being deleted. */
function findUserRow(database: Database, { username, userId }: ArticleOwner): Row | undefined {
  const row = findRow(database, username);
  return row?.user_id === userId && row.deleting_since == null ? row : undefined;
}

/** The records of pages whose texts are kept, or to be kept. */
export function createKeptPageStore(database: Database): KeptPageStore {
  return {
    async find({ userId: user }, itemIds) {
      const sql = `${selectPages} AND item_id IN (SELECT value FROM json_each(:ids))`;
      const pages = readPages(database, sql, { user, ids: `[${itemIds.join()}]` });
      return new Map(pages.map((page) => [page.itemId, page]));
    },

    async *walk({ userId: user }, { after = -1, upTo = Number.MAX_SAFE_INTEGER, atOnce = rowsAtOnce }) {
      const sql = `${selectPages} AND time_updated > :after AND time_updated <= :upTo
        AND (time_updated, item_id) < (:time, :itemId) ORDER BY time_updated DESC, item_id DESC LIMIT :limit`;
      const limit = Math.min(atOnce, rowsAtOnce);
      for (let [time, itemId] = [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]; ; await nextTurn()) {
        const pages = readPages(database, sql, { user, after, upTo, time, itemId, limit });
        const last = pages.at(-1);
        if (!last) return;
        yield pages;
        if (pages.length < limit) return;
        [time, itemId] = [last.timeUpdated, Number(last.itemId)];
      }
    },

    async *walkFailed({ userId: user }) {
      const sql = `${selectPages} AND state = ${stateNumbers.failed} AND item_id > :last ORDER BY item_id LIMIT ${rowsAtOnce}`;
      for (let last = -1; ; await nextTurn()) {
        const pages = readPages(database, sql, { user, last });
        if (pages.length > 0) yield pages;
        if (pages.length < rowsAtOnce) return;
        last = Number(pages.at(-1)?.itemId);
      }
    },

    async counts({ userId: user }) {
      const rows = database.all("SELECT state, count(*) AS pages FROM kept_pages WHERE user = :user GROUP BY state", {
        user,
      });
      const findCount = (state: KeptState) => Number(rows.find((row) => row.state === stateNumbers[state])?.pages ?? 0);
      return { kept: findCount("kept"), waiting: findCount("waiting"), failed: findCount("failed") };
    },

    // A transaction is visible at once, and later writes have a later time than the count of the call.
    visibleUpTo: async ({ clock }) => clock.lastSince,

    async current(owner) {
      const row = findUserRow(database, owner);
      if (!row) throw wrongCredentials();
      return parseUser(row);
    },

    // Without a wait for the disk: whatever rests on it does so (`untilDurable`), and a lost write is repeated.
    write: (owner, changes, now) =>
      database.write(() => {
        const row = findUserRow(database, owner);
        if (!row) return;
        const { userId: user } = owner;
        const { clock } = parseUser(row);
        const time = chooseKeptTime(now, clock);
        let isVisible = false;
        for (const change of changes) {
          const { before, after } = change;
          const itemId = (after ?? before)?.itemId ?? "";
          if (!isSamePage(findPage(database, user, itemId), before)) continue;
          if (!after) {
            database.run("DELETE FROM kept_pages WHERE user = :user AND item_id = :itemId", {
              user,
              itemId: Number(itemId),
            });
            continue;
          }
          const isSeen = isVisibleChange(change);
          isVisible ||= isSeen;
          savePage(database, user, isSeen || !before ? { ...after, timeUpdated: time } : after);
        }
        if (isVisible) database.run("UPDATE users SET kept_at = :time WHERE id = :id", { time, id: Number(row.id) });
      }),

    async setAuto({ userId }, auto) {
      await database.save(() =>
        database.run("UPDATE users SET keeps_pages = :auto WHERE user_id = :userId", { auto: Number(auto), userId }),
      );
    },
  };
}

/** Lists that were changed, by `revision`, and pages that are due. */
export function createKeeperStore(database: Database): KeeperStore {
  const findUsers = (condition: string, parameters: Record<string, string | number> = {}) =>
    database
      .all(`SELECT * FROM users WHERE password_hash IS NOT NULL AND ${condition}`, parameters)
      .map((row) => parseUser(row));
  return {
    async *changedUsers() {
      yield* findUsers("revision <> noted_revision");
    },

    async *changes({ username, clock: { changedAt } }) {
      const row = findRow(database, username);
      if (!row) return;
      const notedUpTo = Number(row.noted_up_to);
      // A later write in the last noted second has a greater revision. A repaired clock may be behind that second.
      const [from, afterChange] =
        notedUpTo <= changedAt ? [notedUpTo, findLastChange(Number(row.noted_revision))] : [changedAt, -1];
      const sql = `${selectItems} AND kind = :kind AND (time_updated, change) > (:time, :change)
        ORDER BY time_updated, change LIMIT ${rowsAtOnce}`;
      for (const kind of Object.values(kindNumbers)) {
        for (let [time, change] = [from, afterChange]; ; await nextTurn()) {
          const items = readItems(database, sql, { user: Number(row.id), kind, time, change });
          const last = items.at(-1);
          if (last) yield items;
          if (!last || items.length < rowsAtOnce) break;
          [time, change] = [last.timeUpdated, parseRevision(last.changeKey)];
        }
      }
    },

    setNoted: ({ userId, revision, clock: { changedAt } }) =>
      database.write(
        () =>
          void database.run(
            "UPDATE users SET noted_revision = :revision, noted_up_to = :changedAt WHERE user_id = :userId",
            { userId, revision, changedAt },
          ),
      ),

    async usersWithWork(now) {
      const anyWork = "SELECT 1 FROM kept_pages WHERE next_try IS NOT NULL AND next_try <= :now LIMIT 1";
      if (!database.get(anyWork, { now })) return { users: [], next: undefined };
      const condition = "user_id IN (SELECT user FROM kept_pages WHERE next_try IS NOT NULL AND next_try <= :now)";
      return { users: findUsers(condition, { now }), next: undefined };
    },

    async nextWork({ userId: user }, now, { busySites, reads }) {
      return readPages(
        database,
        `${selectPages} AND next_try IS NOT NULL AND next_try <= :now AND (state = :kept OR :all OR (is_asked = 1 AND :asked))
         AND site NOT IN (SELECT value FROM json_each(:busy)) ORDER BY next_try LIMIT 1`,
        {
          user,
          now,
          kept: stateNumbers.kept,
          busy: JSON.stringify(busySites),
          all: Number(reads === "all"),
          asked: Number(reads === "asked"),
        },
      )[0];
    },

    countReading: (owner, now) =>
      database.write(() => {
        const row = findUserRow(database, owner);
        if (!row) return;
        const keeping = toJson(afterReading(parseUser(row).keeping, now));
        database.run("UPDATE users SET keeping = :keeping WHERE id = :id", { keeping, id: Number(row.id) });
      }),
  };
}
