// SPDX-License-Identifier: MIT

import { DeleteCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { type ListSnapshot, maxSnapshots, packIds, unpackIds } from "@reading-list/core/domain/list-snapshot.ts";
import { splitList } from "@reading-list/core/domain/split-list.ts";
import { walkSeconds } from "@reading-list/core/domain/walks.ts";
import type { SnapshotOwner, SnapshotStore } from "@reading-list/core/ports/items.ts";
import { readBatch } from "./batches.ts";
import { readRecord, type Table } from "./client.ts";
import { walkKey, walksKey } from "./keys.ts";

/** Ids in one record: 40 KB, which a page reads for 10 read units. */
const idsOfRecord = 5000;

/** A part of a snapshot, as it is stored. */
type PartRecord = Omit<ListSnapshot, "itemIds"> & { part: number; ids: Uint8Array };

/** The snapshots of an owner, newest first, with the number of their parts. */
type SnapshotNames = { name: string; parts: number }[];

/** The snapshots of queries that apps page through (docs/data.md 5). If two begin at once, one may be deleted late. */
export function createSnapshotStore(table: Table): SnapshotStore {
  const { client, tableName: TableName } = table;
  const toOwner = ({ userId, signInId }: SnapshotOwner) => signInId ?? userId;
  const partKeys = (owner: SnapshotOwner, name: string, from: number, to: number) =>
    Array.from({ length: Math.max(0, to - from) }, (_, position) =>
      walkKey(owner.username, toOwner(owner), name, from + position),
    );

  return {
    async find(owner, name, { offset, limit }) {
      const from = Math.floor(offset / idsOfRecord);
      const found: object[] = await readBatch(
        table,
        partKeys(owner, name, from, Math.ceil((offset + limit) / idsOfRecord)),
      );
      const parts = (found as PartRecord[]).sort((one, other) => one.part - other.part);
      const [first] = parts;
      if (!first && from > 0) {
        const begun = await this.find(owner, name, { offset: 0, limit: 1 });
        return begun && { ...begun, itemIds: [] };
      }
      // Another snapshot with this name may have replaced a part.
      const isWhole =
        first?.part === from &&
        parts.every(({ startedAt, revision }) => startedAt === first.startedAt && revision === first.revision);
      if (!isWhole) return undefined;
      const { startedAt, revision, total } = first;
      const start = offset - from * idsOfRecord;
      return {
        startedAt,
        revision,
        total,
        itemIds: parts.flatMap(({ ids }) => unpackIds(ids)).slice(start, start + limit),
      };
    },

    async begin(owner, name, { itemIds, ...walk }) {
      const key = walksKey(owner.username, toOwner(owner));
      const expires = walk.startedAt + walkSeconds;
      const known = ((await readRecord(table, key))?.walks ?? []) as SnapshotNames;
      const parts = splitList(itemIds, idsOfRecord);
      const others = known.filter((each) => each.name !== name);
      const former = known.find((each) => each.name === name)?.parts ?? 0;
      await Promise.all([
        ...parts.map((ids, part) => {
          const Item = {
            ...walkKey(owner.username, toOwner(owner), name, part),
            ...walk,
            part,
            ids: packIds(ids),
            expires,
          };
          return client.send(new PutCommand({ TableName, Item }));
        }),
        ...[
          ...partKeys(owner, name, parts.length, former),
          ...others.slice(maxSnapshots - 1).flatMap((each) => partKeys(owner, each.name, 0, each.parts)),
        ].map((Key) => client.send(new DeleteCommand({ TableName, Key }))),
      ]);
      const walks: SnapshotNames = [{ name, parts: parts.length }, ...others.slice(0, maxSnapshots - 1)];
      await client.send(new PutCommand({ TableName, Item: { ...key, walks, expires } }));
    },
  };
}
