// SPDX-License-Identifier: MIT

import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { DeleteCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { longestAtOnce } from "@reading-list/core/domain/highlights.ts";
import { splitList } from "@reading-list/core/domain/split-list.ts";
import { writesAtOnce } from "@reading-list/core/ports/items.ts";
import { isSameState, type OperatorStore } from "@reading-list/core/ports/operator.ts";
import { walkPartition } from "./batches.ts";
import type { Table } from "./client.ts";
import { toHighlightRecord, walkHighlights } from "./highlights.ts";
import { parseItem, writeRecord } from "./item-records.ts";
import { attributesOfPages, retimePages } from "./kept-pages.ts";
import { deletedKey, itemPrefix, userKey } from "./keys.ts";
import { createNumberRecords } from "./numbers.ts";
import { isFirstConditionFailed, retryConflicts } from "./optimistic-locking.ts";
import { toTrashRecords } from "./trash.ts";
import { findUserRecord } from "./user-records.ts";
import { parseUserRecord, updateUserRecord } from "./users.ts";

/** Attributes of a user's record that have no default. */
const optionalAttributes = [
  "passwordHash",
  "deletingSince",
  "moving",
  "moved",
  "unfinished",
  "importedAt",
  "lastNumber",
  "repaired",
  "firstSyncUpTo",
  "keepsPages",
  "isSuspended",
] as const;

/**
 * Attributes that belong only to the source: proofs depend on its secret, version 0.3.0 had `pageEnds`, and the others
 * identify the lists of its table that contain the user.
 */
const ownAttributes = ["proofs", "trashDay", "keepingAt", "notedRevision", "notedUpTo", "keeping", "pageEnds"];

/** Moves of users between databases. */
export function createListMoves(
  table: Table,
): Pick<OperatorStore, "walkRecords" | "replaceUser" | "writeRecords" | "walkHighlights" | "writeHighlights"> {
  const { client, tableName: TableName } = table;

  /** Writes records in a transaction for each group; false if the move `moveId` is not the one under way. */
  async function putMoved(username: string, moveId: string, groups: object[][]): Promise<boolean> {
    const ConditionCheck = {
      TableName,
      Key: userKey(username),
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
    async *walkRecords(username) {
      for await (const records of walkPartition(table, userKey(username).pk, itemPrefix)) {
        yield records.map((record) => parseItem(record));
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
      if (before) await retimePages(table, after, after.keptAt);
      const { signIns: _, ...record } = parseUserRecord({ toldAt: after.highlightsAt, ...after });
      // Like the sign-ins of apps, identities stay as they are here: `link` adds the source's identities.
      const kept: readonly string[] = [
        ...Object.keys(userKey("")),
        ...attributesOfPages,
        ...ownAttributes,
        "identities",
      ];
      const set = Object.entries(record).filter(([name, value]) => value !== undefined && !kept.includes(name));
      const removed = [...optionalAttributes.filter((name) => record[name] === undefined), ...ownAttributes];
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
        ...toTrashRecords((await findUserRecord(table, username)) ?? { username, userId: "" }, items),
        ...items.flatMap((item) => [
          writeRecord(username, item),
          ...createNumberRecords(username, "item", item.itemId, item.number),
        ]),
      ];
      return putMoved(username, moveId, splitList(records, writesAtOnce));
    },

    walkHighlights: (user) => walkHighlights(table, user),

    writeHighlights: (user, moveId, highlights) =>
      putMoved(
        user.username,
        moveId,
        splitList(highlights, longestAtOnce).map((part) =>
          part.flatMap((each) => [
            toHighlightRecord(user, each),
            ...createNumberRecords(user.username, "highlight", each.id, each.number),
          ]),
        ),
      ),
  };
}
