import { hashOfApiKey } from "@reading-list/core/domain/api-key.ts";
import type { Item } from "@reading-list/core/domain/item.ts";
import { windowKeptSeconds } from "@reading-list/core/domain/limits.ts";
import { walkSeconds } from "@reading-list/core/domain/page-walk.ts";
import {
  type ApiKeyChange,
  type ExaminedList,
  isSameState,
  type ListedApiKey,
  type OperatorStore,
  type UserRecord,
} from "@reading-list/core/operator-ports.ts";
import { deletionsKeptSeconds } from "@reading-list/core/ports.ts";
import { createArticleStore } from "./articles.ts";
import { type Database, optional, parseJson, type Row } from "./database.ts";
import { createDeletionStore } from "./deletion.ts";
import {
  createHighlightStore,
  highlightsAtOnce,
  readHighlights,
  saveHighlight,
  selectHighlights,
} from "./highlights.ts";
import { countKinds, createItemStore, readItems, readUpwards, saveItem, selectItems } from "./items.ts";
import { readMaintenance } from "./keys.ts";
import { createSignInStore } from "./sign-ins.ts";
import { releaseReserve } from "./since-reserve.ts";
import { createTrashStore } from "./trash.ts";
import { createUserStore, findRow, userOf } from "./users.ts";

/** Rows that one transaction deletes, writes or reads: some 10 ms. */
const rowsAtOnce = 1000;

const json = (value: unknown) => (value === undefined ? null : JSON.stringify(value));

function recordOf(row: Row): UserRecord {
  const { createdAt: userSince, clock, passwordHash, ...user } = userOf(row);
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

const keyOf = (row: Row): ListedApiKey => ({
  keyHash: String(row.key_hash),
  applicationId: String(row.application_id),
  name: String(row.name),
  status: row.status as ListedApiKey["status"],
  userLimit: optional(row.user_limit),
  keyLimit: optional(row.key_limit),
  isPublic: row.is_public === 1,
  created: Number(row.created),
  replaced: optional(row.replaced),
});

const keyColumns = {
  ...{ status: "status", userLimit: "user_limit", keyLimit: "key_limit", isPublic: "is_public", replaced: "replaced" },
};

/** The operator's ports. Commands work beside the service, which waits while they write. */
export function createOperatorStore(database: Database): OperatorStore {
  const findUser = (username: string) => {
    const row = findRow(database, username);
    return row && recordOf(row);
  };

  function examine(username: string): ExaminedList | undefined {
    const row = findRow(database, username);
    if (row?.password_hash == null) return undefined;
    const record = recordOf(row);
    const [unread, read] = countKinds(database, Number(row.id));
    return { record, counts: { unread, read }, isDrifted: unread !== record.countUnread || read !== record.countRead };
  }

  function changeKeys(changes: readonly [keyHash: string, ApiKeyChange][]): void {
    for (const [keyHash, change] of changes) {
      for (const [name, column] of Object.entries(keyColumns)) {
        if (!(name in change)) continue;
        const wanted = change[name as keyof ApiKeyChange] ?? null;
        const value = typeof wanted === "boolean" ? Number(wanted) : wanted;
        database.run(`UPDATE api_keys SET ${column} = :value WHERE key_hash = :keyHash`, { keyHash, value });
      }
    }
  }

  /** Pages of what `read` returns after the last element of the page before. */
  async function* walk<T>(read: (last: T | undefined) => T[]): AsyncGenerator<T[]> {
    for (let last: T | undefined, page: T[]; ; last = page.at(-1)) {
      page = read(last);
      if (page.length > 0) yield page;
      if (page.length < rowsAtOnce) return;
    }
  }

  return {
    ...createDeletionStore(database),
    users: createUserStore(database),
    items: createItemStore(database),
    trash: createTrashStore(database),
    highlights: createHighlightStore(database),
    signIns: createSignInStore(database),
    articles: createArticleStore(database),
    async *walkUsers() {
      const sql = `SELECT * FROM users WHERE id > :after ORDER BY id LIMIT ${rowsAtOnce}`;
      for await (const rows of walk<Row>((last) => database.all(sql, { after: Number(last?.id ?? 0) })))
        yield rows.map(recordOf);
    },
    findUser: async (username) => findUser(username),
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
            username,
            ...examined.counts,
          });
        }
        return examined;
      }),
    async *findDriftedUsers() {
      for await (const users of this.walkUsers()) {
        for (const { username } of users) if (examine(username)?.isDrifted) yield username;
      }
    },
    async *walkItems(username) {
      const user = Number(findRow(database, username)?.id ?? 0);
      yield* walk<Item>((last) => readUpwards(database, user, last, rowsAtOnce));
    },

    async listApiKeys() {
      // Of keys that were created in the same second the current one is last.
      return database.all("SELECT * FROM api_keys ORDER BY created, replaced NULLS LAST").map(keyOf);
    },
    createApiKey: (apiKey, record, changes = []) =>
      database.save(() => {
        const { applicationId, name, status, userLimit = null, keyLimit = null, isPublic = false, created } = record;
        const isNew = database.run(
          `INSERT INTO api_keys (key_hash, application_id, name, status, user_limit, key_limit, is_public, created)
           VALUES (:keyHash, :applicationId, :name, :status, :userLimit, :keyLimit, :isPublic, :created) ON CONFLICT DO NOTHING`,
          {
            keyHash: hashOfApiKey(apiKey),
            applicationId,
            name,
            status,
            userLimit,
            keyLimit,
            isPublic: Number(isPublic),
            created,
          },
        );
        if (isNew) changeKeys(changes);
        return isNew === 1;
      }),
    changeApiKeys: (changes) => database.save(() => changeKeys(changes)),
    async listKeyWindows(applicationId, count) {
      return database
        .all(
          `SELECT window_start, calls FROM key_windows WHERE id = :applicationId
           ORDER BY window_start DESC LIMIT :count`,
          { applicationId, count },
        )
        .map((row) => ({ start: Number(row.window_start), calls: Number(row.calls) }));
    },

    async findMaintenance() {
      return readMaintenance(database);
    },
    async beginMaintenance(maintenance) {
      const value = JSON.stringify(maintenance);
      await database.save(() =>
        database.run("INSERT OR REPLACE INTO settings VALUES ('maintenance', :value)", { value }),
      );
    },
    async endMaintenance() {
      await database.save(() => database.run("DELETE FROM settings WHERE name = 'maintenance'"));
    },

    checks: () => ({
      database: async () => {
        const { integrity_check: result } = database.get("PRAGMA integrity_check(1)") ?? {};
        return result === "ok"
          ? { found: `${database.file} is intact` }
          : {
              fault: `${database.file} is damaged (${String(result).replaceAll("\n", " ")}); stop the service and restore a backup`,
            };
      },
    }),

    async forgetReservedTimes() {
      await database.save(() => releaseReserve(database));
    },

    async *walkRecords(username) {
      const user = Number(findRow(database, username)?.id ?? 0);
      const sql = `${selectItems} AND item_id > :after ORDER BY item_id LIMIT ${rowsAtOnce}`;
      yield* walk<Item>((last) => readItems(database, sql, { user, after: Number(last?.itemId ?? -1) }));
    },
    replaceUser: (before, after) =>
      database.save(() => {
        if (!isSameState(findUser(after.username), before)) return false;
        if (!before) database.run("DELETE FROM deleted_users WHERE user_id = :userId", { userId: after.userId });
        database.run(
          `INSERT INTO users (username, user_id, user_since) VALUES (:username, :userId, :userSince)
           ON CONFLICT DO UPDATE SET user_id = :userId`,
          { username: after.username, userId: after.userId, userSince: after.userSince },
        );
        database.run(
          `UPDATE users SET password_hash = :passwordHash, count_unread = :countUnread, count_read = :countRead,
           last_since = :lastSince, changed_at = :changedAt, deleted_at = :deletedAt, revision = :revision,
           last_number = :lastNumber, calls = :calls, window_start = :windowStart, walks = :walks, unfinished = :unfinished,
           moving = :moving, moved = :moved, repaired = :repaired, highlights_at = :highlightsAt, highlights = :highlights,
           page_ends = NULL WHERE username = :username`,
          {
            username: after.username,
            passwordHash: after.passwordHash ?? null,
            countUnread: after.countUnread,
            countRead: after.countRead,
            lastSince: after.lastSince,
            changedAt: after.changedAt,
            deletedAt: after.deletedAt,
            highlightsAt: after.highlightsAt,
            highlights: after.highlights,
            revision: after.revision,
            lastNumber: after.lastNumber ?? 0,
            calls: after.calls,
            windowStart: after.windowStart,
            walks: json(after.walks),
            unfinished: json(after.unfinished),
            moving: json(after.moving),
            moved: json(after.moved),
            repaired: json(after.repaired),
          },
        );
        return true;
      }),
    writeRecords: (username, moveId, items) =>
      database.save(() => {
        const row = findRow(database, username);
        if (!row || recordOf(row).moving?.id !== moveId || row.deleting_since != null) return false;
        for (const item of items) saveItem(database, Number(row.id), item);
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
        const row = findRow(database, username);
        if (!row || recordOf(row).moving?.id !== moveId || row.deleting_since != null) return false;
        for (const highlight of highlights) saveHighlight(database, Number(row.id), highlight);
        return true;
      }),
  };
}

/**
 * Deletes what has expired, some rows at a time: deletions that no client can learn any more, login attempts, walks,
 * windows of calls.
 */
export async function deleteExpired(database: Database, now: number): Promise<void> {
  const expired = [
    { table: "items", key: "id", condition: "kind = 2 AND time_updated <= :time", time: now - deletionsKeptSeconds },
    {
      table: "highlights",
      key: "id",
      condition: "is_deleted = 1 AND time_updated <= :time",
      time: now - deletionsKeptSeconds,
    },
    { table: "login_attempts", key: "username, source", condition: "expires <= :time", time: now },
    { table: "walks", key: "user, sign_in, name", condition: "started <= :time", time: now - walkSeconds },
    {
      table: "key_windows",
      key: "id, window_start",
      condition: "window_start <= :time",
      time: now - windowKeptSeconds,
    },
  ];
  for (const { table, key, condition, time } of expired) {
    const sql = `DELETE FROM ${table} WHERE (${key}) IN
      (SELECT ${key} FROM ${table} WHERE ${condition} LIMIT ${rowsAtOnce})`;
    while ((await database.write(() => database.run(sql, { time }))) === rowsAtOnce);
  }
}
