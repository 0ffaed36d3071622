// SPDX-License-Identifier: MIT

import type { DBSchema, IDBPDatabase } from "idb";
import type { Queued } from "./store.ts";

/** The records are items or highlights. */
export interface Schema extends DBSchema {
  /**
   * Under `revision`: the number of writes, by which a tab notices the writes of other tabs. Under `packed`, and under
   * numbers: many records again, in few values, because a browser reads 20,000 records in 300 ms, and 40 values in 40.
   */
  state: { key: "state" | "revision" | "packed" | number; value: unknown };
  items: { key: string; value: unknown };
  queue: { key: number; value: Omit<Queued<unknown>, "id"> & { id?: number } };
}

/** Which records the packed ones lack, or have in an old state. A write of an older version of this code leaves it behind. */
export interface Packed {
  /** The last write that has noted its records here. */
  revision: number;
  /** Ids of the records that were written since. */
  loose: readonly string[];
}

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
