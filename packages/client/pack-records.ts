// SPDX-License-Identifier: MIT

import type { IDBPDatabase } from "idb";
import type { Packed, Schema } from "./indexeddb-store.ts";

/** Records of one value: packing them takes a few milliseconds of the page. */
const inPart = 500;

/** Stores all records as of a write again, in few values; does nothing if there was a later write. */
export async function packRecords(
  database: IDBPDatabase<Schema>,
  records: readonly unknown[],
  revision: number,
): Promise<void> {
  const transaction = database.transaction("state", "readwrite");
  const { store } = transaction;
  if ((await store.get("revision")) === revision) {
    await store.delete(IDBKeyRange.upperBound(Number.POSITIVE_INFINITY));
    // One after the other, so that the page can do something else in between.
    for (let at = 0; at < records.length; at += inPart) await store.put(records.slice(at, at + inPart), at);
    await store.put({ revision, loose: [] } satisfies Packed, "packed");
  }
  await transaction.done;
}
