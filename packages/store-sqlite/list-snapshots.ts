// SPDX-License-Identifier: MIT

import { maxSnapshots, packIds, unpackIds } from "@reading-list/core/domain/list-snapshot.ts";
import type { SnapshotOwner, SnapshotStore } from "@reading-list/core/ports/items.ts";
import type { Database } from "./database.ts";

/**
 * The snapshots of queries that apps page through. If a power cut undoes a snapshot, nothing is lost: the next page is a
 * page of the current list.
 */
export function createSnapshotStore(database: Database): SnapshotStore {
  const toKey = ({ userId, signInId = "" }: SnapshotOwner) => ({ user: userId, signIn: signInId });
  return {
    async find(owner, name, { offset, limit }) {
      const row = database.get(
        `SELECT started, revision, length(ids) / 8 AS total, substr(ids, :from, :bytes) AS ids FROM walks
         WHERE user = :user AND sign_in = :signIn AND name = :name`,
        { ...toKey(owner), name, from: offset * 8 + 1, bytes: limit * 8 },
      );
      return (
        row && {
          startedAt: Number(row.started),
          revision: Number(row.revision),
          total: Number(row.total),
          itemIds: unpackIds(row.ids as Uint8Array),
        }
      );
    },
    begin: (owner, name, { startedAt, revision, itemIds }) =>
      database.write(() => {
        const key = toKey(owner);
        database.run("INSERT OR REPLACE INTO walks VALUES (:user, :signIn, :name, :startedAt, :revision, :ids)", {
          ...key,
          name,
          startedAt,
          revision,
          ids: packIds(itemIds),
        });
        database.run(
          `DELETE FROM walks WHERE user = :user AND sign_in = :signIn AND name NOT IN
           (SELECT name FROM walks WHERE user = :user AND sign_in = :signIn ORDER BY started DESC LIMIT ${maxSnapshots})`,
          key,
        );
      }),
  };
}
