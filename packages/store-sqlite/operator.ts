// SPDX-License-Identifier: MIT

import type { ErasePermit } from "@reading-list/core/domain/clock-check.ts";
import { windowKeptSeconds } from "@reading-list/core/domain/limits.ts";
import { walkSeconds } from "@reading-list/core/domain/walks.ts";
import { deletionsKeptSeconds } from "@reading-list/core/ports/items.ts";
import type { OperatorStore } from "@reading-list/core/ports/operator.ts";
import { createAdministration } from "./administration.ts";
import { createApiKeyRecords } from "./api-key-records.ts";
import { createArticleStore } from "./articles.ts";
import { checkPictures } from "./check-pictures.ts";
import { createClockStore } from "./clock-record.ts";
import type { Database } from "./database.ts";
import { createDeletionStore } from "./deletion.ts";
import { createHighlightStore } from "./highlights.ts";
import { createIdentityStore } from "./identities.ts";
import { createItemStore } from "./items.ts";
import { createKeptPageStore } from "./kept-pages.ts";
import { createMaintenance } from "./keys.ts";
import { createListMoves } from "./moves.ts";
import { PictureFiles } from "./picture-files.ts";
import { createPictureStore } from "./pictures.ts";
import { createShareStore } from "./shares.ts";
import { createSignInStore } from "./sign-ins.ts";
import { releaseReserve } from "./since-reserve.ts";
import { createTrashStore } from "./trash.ts";
import { createUserRecords } from "./user-records.ts";
import { createUserStore } from "./users.ts";

/** Maximum rows that one transaction deletes, in about 10 ms. */
const rowsAtOnce = 1000;

/** The operator's ports. Commands work beside the service, which waits while they write. */
export const createOperatorStore = (database: Database, pictureFiles = new PictureFiles(database)): OperatorStore => ({
  ...createDeletionStore(database),
  ...createUserRecords(database),
  ...createApiKeyRecords(database),
  ...createMaintenance(database),
  ...createListMoves(database),
  administration: createAdministration(database),
  users: createUserStore(database),
  items: createItemStore(database),
  trash: createTrashStore(database),
  highlights: createHighlightStore(database),
  signIns: createSignInStore(database),
  shares: createShareStore(database),
  identities: createIdentityStore(database),
  articles: createArticleStore(database, pictureFiles),
  keptPages: createKeptPageStore(database),
  pictureStore: createPictureStore(database, pictureFiles),
  checks: () => ({
    database: async () => {
      const { integrity_check: result } = database.get("PRAGMA integrity_check(1)") ?? {};
      if (result === "ok") return { found: `${database.file} is intact` };
      const damage = String(result).replaceAll("\n", " ");
      return { fault: `${database.file} is damaged (${damage}); stop the service and restore a backup` };
    },
    disk: async () => {
      const free = `${Math.floor((database.diskFree ?? 0) / 1_000_000)} MB`;
      if (!database.isDiskFull) return { found: `${free} are free` };
      return {
        fault: `the disk is full (${free} free), so the service refuses calls that add data; free space, or lower DISK_RESERVE_MB`,
      };
    },
    pictures: () => checkPictures(database, pictureFiles),
  }),
  clock: createClockStore(database),
  async forgetReservedTimes() {
    await database.save(() => releaseReserve(database));
  },
});

/**
 * Deletes expired records, some rows at a time: deletions that no client asks for any more, sign-in attempts, walks,
 * codes of apps, windows of calls.
 */
export async function deleteExpired(database: Database, { now }: ErasePermit): Promise<void> {
  const expired = [
    { table: "items", key: "id", condition: "kind = 2 AND time_updated <= :time", time: now - deletionsKeptSeconds },
    {
      table: "highlights",
      key: "id",
      condition: "is_deleted = 1 AND time_updated <= :time",
      time: now - deletionsKeptSeconds,
    },
    { table: "operator_links", key: "id", condition: "expires_at <= :time", time: now },
    { table: "login_attempts", key: "username, source", condition: "expires <= :time", time: now },
    { table: "authorizations", key: "id", condition: "kept_until <= :time", time: now },
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
