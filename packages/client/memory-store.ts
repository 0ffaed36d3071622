// SPDX-License-Identifier: MIT

import type { Change } from "./change.ts";
import type { Highlight, HighlightChange } from "./highlight.ts";
import type { HighlightState, HighlightStore, Queued, Step, Store, StoredItem, SyncState } from "./store.ts";

class MemoryReplica<Stored, C, State> {
  protected current: State;
  protected lastId = 0;
  protected readonly replica = new Map<string, Stored>();
  protected readonly changes = new Map<number, Queued<C>>();
  readonly #idOf: (stored: Stored) => string;

  constructor(state: State, idOf: (stored: Stored) => string) {
    this.current = state;
    this.#idOf = idOf;
  }

  async state(): Promise<State> {
    return this.current;
  }

  async queue(): Promise<Queued<C>[]> {
    return [...this.changes.values()];
  }

  async enqueue(changes: readonly C[]): Promise<void> {
    for (const change of changes) {
      const id = ++this.lastId;
      this.changes.set(id, { id, queuedAt: new Date(), change });
    }
  }

  async commit({ state, put = [], remove = [], dequeue = [] }: Step<Stored, State>): Promise<void> {
    this.current = state;
    for (const id of remove) this.replica.delete(id);
    for (const stored of put) this.replica.set(this.#idOf(stored), stored);
    for (const id of dequeue) this.changes.delete(id);
  }
}

/** A store in memory. It is lost when the process ends. */
export class MemoryStore extends MemoryReplica<StoredItem, Change, SyncState> implements Store {
  constructor() {
    super({ sent: 0 }, ({ itemId }) => itemId);
  }

  async items(ids?: readonly string[]): Promise<StoredItem[]> {
    return ids ? ids.flatMap((id) => this.replica.get(id) ?? []) : [...this.replica.values()];
  }
}

/** The same for highlights. */
export class MemoryHighlightStore
  extends MemoryReplica<Highlight, HighlightChange, HighlightState>
  implements HighlightStore
{
  constructor() {
    super({ sent: 0 }, ({ id }) => id);
  }

  async highlights(): Promise<Highlight[]> {
    return [...this.replica.values()];
  }
}
