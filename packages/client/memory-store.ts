// SPDX-License-Identifier: MIT

import type { Change } from "./change.ts";
import type { Commit, QueuedChange, Store, StoredItem, SyncState } from "./store.ts";

/** A store in memory. It is lost when the process ends. */
export class MemoryStore implements Store {
  protected current: SyncState = { sent: 0 };
  protected lastId = 0;
  protected readonly replica = new Map<string, StoredItem>();
  protected readonly changes = new Map<number, QueuedChange>();

  async state(): Promise<SyncState> {
    return this.current;
  }

  async items(ids?: readonly string[]): Promise<StoredItem[]> {
    return ids ? ids.flatMap((id) => this.replica.get(id) ?? []) : [...this.replica.values()];
  }

  async queue(): Promise<QueuedChange[]> {
    return [...this.changes.values()];
  }

  async enqueue(changes: readonly Change[]): Promise<void> {
    for (const change of changes) {
      const id = ++this.lastId;
      this.changes.set(id, { id, queuedAt: new Date(), change });
    }
  }

  async commit({ state, put = [], remove = [], dequeue = [] }: Commit): Promise<void> {
    this.current = state;
    for (const id of remove) this.replica.delete(id);
    for (const item of put) this.replica.set(item.itemId, item);
    for (const id of dequeue) this.changes.delete(id);
  }
}
