// SPDX-License-Identifier: MIT

import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { DeleteCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { longestAtOnce } from "@reading-list/core/domain/highlights.ts";
import { isSameState, type OperatorStore } from "@reading-list/core/operator-ports.ts";
import { writesAtOnce } from "@reading-list/core/ports.ts";
import { changeApiKeys, createApiKey, listApiKeys } from "./api-key-records.ts";
import { createArticleStore } from "./articles.ts";
import { chunks, walkPartition } from "./batches.ts";
import { checksOf, type Place } from "./checks.ts";
import type { Table } from "./client.ts";
import { createDeletionStore } from "./deletion.ts";
import { createHighlightStore, highlightRecordOf, walkHighlights } from "./highlights.ts";
import { itemOf, recordOf } from "./item-records.ts";
import { createItemStore } from "./items.ts";
import { listKeyWindows } from "./key-windows.ts";
import { deletedKey, itemPrefix, userKey } from "./keys.ts";
import { findDriftedUsers, recountList } from "./list-recount.ts";
import { numberRecordsOf } from "./numbers.ts";
import type { ObjectStore } from "./objects.ts";
import { isFirstConditionFailed, retryConflicts } from "./optimistic-locking.ts";
import { walkItems } from "./query-items.ts";
import { beginMaintenance, endMaintenance, findMaintenance } from "./settings.ts";
import { createSignInStore } from "./sign-ins.ts";
import { createTrashStore, trashRecordsOf } from "./trash.ts";
import { findUserRecord, setPasswordHash, walkUsers } from "./user-records.ts";
import { createUserStore } from "./user-store.ts";
import { parseUserRecord, updateUserRecord } from "./users.ts";

/** Attributes of a user's record that have no default. */
const optionalAttributes = [
  "passwordHash",
  "deletingSince",
  "moving",
  "moved",
  "walks",
  "unfinished",
  "importedAt",
  "lastNumber",
  "repaired",
  "pageEnds",
] as const;

/** The operator's ports on a table of DynamoDB and the objects beside it. `place` names the table in reports. */
export function createOperatorStore(
  table: Table,
  objects: ObjectStore,
  place: Place = { description: `table ${table.tableName}` },
): OperatorStore {
  const { client, tableName: TableName } = table;

  /** Writes records in a transaction for each group; false if the move `moveId` is not the one under way. */
  async function putMoved(username: string, moveId: string, groups: object[][]): Promise<boolean> {
    const ConditionCheck = {
      ...{ TableName, Key: userKey(username) },
      ConditionExpression: "moving.id = :id AND attribute_not_exists(deletingSince)",
      ExpressionAttributeValues: { ":id": moveId },
    };
    try {
      for (const group of groups) {
        const TransactItems = [{ ConditionCheck }, ...group.map((Item) => ({ Put: { TableName, Item } }))];
        await retryConflicts(() => client.send(new TransactWriteCommand({ TransactItems })));
      }
      return true;
    } catch (error) {
      if (!isFirstConditionFailed(error)) throw error;
      return false;
    }
  }

  return {
    ...createDeletionStore(table),
    users: createUserStore(table),
    items: createItemStore(table),
    trash: createTrashStore(table),
    highlights: createHighlightStore(table),
    signIns: createSignInStore(table),
    articles: createArticleStore(table, objects),
    walkUsers: () => walkUsers(table),
    findUser: (username) => findUserRecord(table, username),
    setPasswordHash: (username, passwordHash) => setPasswordHash(table, username, passwordHash),
    recountList: (username) => recountList(table, username),
    findDriftedUsers: () => findDriftedUsers(table),
    walkItems: (username) => walkItems(table, username),
    listApiKeys: () => listApiKeys(table),
    createApiKey: (apiKey, record, changes) => createApiKey(table, apiKey, record, changes),
    changeApiKeys: (changes) => changeApiKeys(table, changes),
    listKeyWindows: (applicationId, count) => listKeyWindows(table, applicationId, count),
    findMaintenance: () => findMaintenance(table),
    beginMaintenance: (maintenance) => beginMaintenance(table, maintenance),
    endMaintenance: () => endMaintenance(table),
    checks: () => checksOf(table, place),

    forgetReservedTimes: async () => {},

    async *walkRecords(username) {
      for await (const records of walkPartition(table, userKey(username).pk, itemPrefix)) {
        yield records.map((record) => itemOf(record));
      }
    },

    async replaceUser(before, after) {
      const seen = before && {
        ":userId": before.userId,
        ":revision": before.revision,
        ":lastSince": before.lastSince,
        ":calls": before.calls,
        ...(before.passwordHash !== undefined && { ":hash": before.passwordHash }),
        ...(before.moving && { ":moving": before.moving.id }),
      };
      const conditions = [
        "userId = :userId AND revision = :revision AND lastSince = :lastSince AND calls = :calls",
        before?.passwordHash === undefined ? "attribute_not_exists(passwordHash)" : "passwordHash = :hash",
        before?.moving ? "moving.id = :moving" : "attribute_not_exists(moving)",
        "attribute_not_exists(deletingSince)",
      ];
      // Those of the target stay; `proofs` are of the source's secret, and `trashDay` tells what its table lists.
      const {
        signIns: _,
        proofs: __,
        trashDay: ___,
        ...record
      } = parseUserRecord({ toldAt: after.highlightsAt, ...after });
      const set = Object.entries(record).filter(([name, value]) => value !== undefined && !(name in userKey("")));
      const removed = [...optionalAttributes.filter((name) => record[name] === undefined), "proofs", "trashDay"];
      if (!before) await client.send(new DeleteCommand({ TableName, Key: deletedKey(after.userId) }));
      const assignments = set.map(([name], index) => `${name} = :set${index}`);
      try {
        await updateUserRecord(table, after.username, {
          UpdateExpression: `SET ${assignments.join(", ")}, signIns = if_not_exists(signIns, :none) REMOVE ${removed.join(", ")}`,
          ConditionExpression: before ? conditions.join(" AND ") : "attribute_not_exists(pk)",
          ExpressionAttributeValues: {
            ...seen,
            ...Object.fromEntries(set.map(([, value], index) => [`:set${index}`, value])),
            ":none": {},
          },
        });
        return true;
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
        // The client repeats a request whose answer was lost.
        return isSameState(await findUserRecord(table, after.username), after);
      }
    },

    async writeRecords(username, moveId, items) {
      const records = [
        ...trashRecordsOf((await findUserRecord(table, username)) ?? { username, userId: "" }, items),
        ...items.flatMap((item) => [recordOf(username, item), ...numberRecordsOf(username, item)]),
      ];
      return putMoved(username, moveId, chunks(records, writesAtOnce));
    },

    walkHighlights: (user) => walkHighlights(table, user),

    writeHighlights: (user, moveId, highlights) =>
      putMoved(
        user.username,
        moveId,
        chunks(highlights, longestAtOnce).map((part) => part.map((each) => highlightRecordOf(user, each))),
      ),
  };
}
