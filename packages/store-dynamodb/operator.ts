// SPDX-License-Identifier: MIT

import type { OperatorStore } from "@reading-list/core/ports/operator.ts";
import type { IndexObjects } from "@reading-list/core/ports/search.ts";
import { changeApiKeys, createApiKey, listApiKeys } from "./api-key-records.ts";
import { createArticleStore } from "./articles.ts";
import type { ObjectStore } from "./bucket.ts";
import { createChecks, type Place } from "./checks.ts";
import type { Table } from "./client.ts";
import { createClockStore } from "./clock-record.ts";
import { createDeletionStore } from "./deletion.ts";
import { createHighlightStore } from "./highlights.ts";
import { createIdentityStore } from "./identities.ts";
import { createItemStore } from "./items.ts";
import { createKeptPageStore } from "./kept-pages.ts";
import { listKeyWindows } from "./key-windows.ts";
import { findDriftedLists, recountList } from "./list-recount.ts";
import { createListMoves } from "./moves.ts";
import { createPictureStore } from "./pictures.ts";
import { walkItems } from "./query-items.ts";
import { beginMaintenance, endMaintenance, findMaintenance } from "./settings.ts";
import { createShareStore } from "./shares.ts";
import { createSignInStore } from "./sign-ins.ts";
import { createTrashStore } from "./trash.ts";
import { findUserRecord, setPasswordHash, walkUsers } from "./user-records.ts";
import { createUserStore } from "./user-store.ts";

/**
 * The operator's ports on a table of DynamoDB, the objects beside it, and search indexes if they are objects. `place` names
 * the table in reports.
 */
export function createOperatorStore(
  table: Table,
  objects: ObjectStore,
  place: Place = { description: `table ${table.tableName}` },
  indexes?: IndexObjects,
): OperatorStore {
  return {
    ...createDeletionStore(table),
    ...createListMoves(table),
    users: createUserStore(table),
    items: createItemStore(table),
    trash: createTrashStore(table),
    highlights: createHighlightStore(table),
    signIns: createSignInStore(table),
    shares: createShareStore(table),
    identities: createIdentityStore(table),
    articles: createArticleStore(table, objects, indexes),
    keptPages: createKeptPageStore(table, Date),
    pictureStore: createPictureStore(table, objects),
    walkUsers: () => walkUsers(table),
    findUser: (username) => findUserRecord(table, username),
    setPasswordHash: (username, passwordHash) => setPasswordHash(table, username, passwordHash),
    recountList: (username) => recountList(table, username),
    findDriftedLists: () => findDriftedLists(table),
    walkItems: (username) => walkItems(table, username),
    listApiKeys: () => listApiKeys(table),
    createApiKey: (apiKey, record, changes) => createApiKey(table, apiKey, record, changes),
    changeApiKeys: (changes) => changeApiKeys(table, changes),
    listKeyWindows: (applicationId, count) => listKeyWindows(table, applicationId, count),
    findMaintenance: () => findMaintenance(table),
    beginMaintenance: (maintenance) => beginMaintenance(table, maintenance),
    endMaintenance: () => endMaintenance(table),
    checks: () => createChecks(table, place),

    clock: createClockStore(table),
    forgetReservedTimes: async () => {},
  };
}
