// SPDX-License-Identifier: MIT

import { invertChange } from "@reading-list/client/change.ts";
import { findItem, withChanges } from "@reading-list/client/local-items.ts";
import type { Change, LocalItem, ReadingListClient, Store } from "@reading-list/client/main.ts";
import { enqueueUndoable } from "@reading-list/client/undo.ts";
import { Observable } from "../kit/observable.ts";

/** Takes changes back. */
export type Undo = () => Promise<void>;

/** Runs a task while no tab syncs. */
export type Exclusively = <T>(run: () => Promise<T>) => Promise<T>;

/** The list as this device shows it: the replica in a store, with the queued changes on top. */
export class List {
  /** Newest change first; undefined until it is loaded. */
  readonly items = new Observable<readonly LocalItem[] | undefined>(undefined);
  /** Changes that the service does not have yet. */
  readonly unsent = new Observable(0);
  /** The same changes in their order, except that progress gets the time at which it was queued. */
  unsentChanges: readonly Change[] = [];
  readonly #store: Store;
  readonly #exclusively: Exclusively;
  #loading: Promise<void> | undefined;
  #isStale = false;

  constructor(store: Store, exclusively: Exclusively) {
    this.#store = store;
    this.#exclusively = exclusively;
  }

  /** Shows the store as it is now. Calls during a load share one more load. */
  load(): Promise<void> {
    this.#isStale = true;
    this.#loading ??= this.#loadUntilFresh().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  async #loadUntilFresh(): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false;
      // The queue is read first: a change that leaves it in between is in the items by then.
      const queue = await this.#store.queue();
      const items = await this.#store.items();
      const { sent } = await this.#store.state();
      this.items.value = withChanges(items, queue);
      const unsent = queue.filter(({ id }) => id > sent).map(({ change }) => change);
      this.unsentChanges = unsent.filter(({ kind }) => kind !== "progress");
      this.unsent.value = unsent.length;
    }
  }

  /** The item of a page. */
  find(url: string): LocalItem | undefined {
    return findItem(this.items.value ?? [], url);
  }

  /** Sends the queued changes, and fetches nothing. Throws `ApiError`. */
  send(client: ReadingListClient, onRejected: (change: Change, message: string) => void): Promise<void> {
    return this.#exclusively(async () => {
      for await (const { rejected } of client.sync(this.#store, { sendOnly: true })) {
        for (const { change, message } of rejected) onRejected(change, message);
      }
    });
  }

  /** Queues changes and shows them. They survive a reload of the page from the moment this resolves. */
  async change(changes: readonly Change[]): Promise<Undo> {
    // A map of 20,000 items takes some milliseconds: one change finds its item without.
    const known = changes.length > 1 && new Map((this.items.value ?? []).map((item) => [item.url, item]));
    const before = changes.map(({ url }) => (known ? known.get(url) : this.find(url)));
    const undo = await enqueueUndoable(this.#store, changes, (each, place) => invertChange(each, before[place]));
    await this.load();
    return () =>
      this.#exclusively(async () => {
        await undo();
        await this.load();
      });
  }
}
