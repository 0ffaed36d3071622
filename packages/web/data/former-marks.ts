// SPDX-License-Identifier: MIT

import type { HighlightChange, HighlightStore } from "@reading-list/client/main.ts";
import { type DBSchema, deleteDB, openDB } from "idb";

type FormerChange =
  | { kind: "save"; change: Omit<Extract<HighlightChange, { kind: "save" }>, "kind"> }
  | { kind: "delete"; markId: string };

interface FormerSchema extends DBSchema {
  queue: { key: number; value: FormerChange };
}

/** Moves the changes that wait in the database of an earlier version, which exists, into a store, and deletes that database. */
export async function takeFormerMarks(name: string, store: HighlightStore): Promise<void> {
  const former = await openDB<FormerSchema>(name);
  const queue = former.objectStoreNames.contains("queue") ? await former.getAll("queue") : [];
  await store.enqueue(
    queue.map((queued) =>
      queued.kind === "save" ? { kind: "save", ...queued.change } : { kind: "delete", id: queued.markId },
    ),
  );
  if (queue.length > 0) await former.clear("queue");
  former.close();
  // It waits for a tab that has the earlier version open; this one does not.
  void deleteDB(name);
}
