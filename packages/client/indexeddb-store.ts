// SPDX-License-Identifier: MIT

import { type DBSchema, type IDBPDatabase, openDB } from "idb";
import type { Change } from "./change.ts";
import type { Commit, QueuedChange, Store, StoredItem, SyncState } from "./store.ts";

interface Schema extends DBSchema {
  /** Under `revision`: the number of writes, by which a tab notices those of others. */
  state: { key: "state" | "revision"; value: SyncState | number };
  items: { key: string; value: StoredItem };
  queue: { key: number; value: Omit<QueuedChange, "id"> & { id?: number } };
}

const stores = ["state", "items", "queue"] as const;

/** The database as of a revision. */
interface Copy {
  revision: number;
  state: SyncState;
  queue: Map<number, QueuedChange>;
  /** Read when all items are asked for the first time. */
  items: Map<string, StoredItem> | undefined;
}

/** The changes of a write, for the copies of this tab and of others. */
interface Write extends Partial<Commit> {
  revision: number;
  queued?: readonly QueuedChange[];
}

/**
 * A store in the browser, for pages and workers. It reads the database once and keeps a copy in memory, which follows the
 * writes of this tab and of others; so a call reads a record only if the copy has missed a write.
 */
export class IndexedDbStore implements Store {
  readonly #database: IDBPDatabase<Schema>;
  readonly #channel: BroadcastChannel;
  #copy: Copy | undefined;

  private constructor(database: IDBPDatabase<Schema>) {
    this.#database = database;
    this.#channel = new BroadcastChannel(`${database.name} (IndexedDbStore)`);
    this.#channel.onmessage = ({ data }: MessageEvent<Write>) => this.#follow(data);
  }

  /** Opens a database, or creates it. Use another name for each user, so that no list is mixed with another. */
  static async open(name: string): Promise<IndexedDbStore> {
    const database = await openDB<Schema>(name, 1, {
      upgrade(created) {
        created.createObjectStore("state");
        created.createObjectStore("items", { keyPath: "itemId" });
        created.createObjectStore("queue", { keyPath: "id", autoIncrement: true });
      },
    });
    return new IndexedDbStore(database);
  }

  /** Calls `listener` after another tab or worker has changed the store. */
  onOtherTab(listener: () => void): void {
    this.#channel.addEventListener("message", listener);
  }

  async state(): Promise<SyncState> {
    return (await this.#read()).state;
  }

  async items(ids?: readonly string[]): Promise<StoredItem[]> {
    if (!ids) return [...((await this.#read({ items: true })).items?.values() ?? [])];
    const { items } = await this.#read();
    if (items) return ids.flatMap((id) => items.get(id) ?? []);
    const { store } = this.#database.transaction("items");
    return (await Promise.all(ids.map((id) => store.get(id)))).filter((item) => item !== undefined);
  }

  async queue(): Promise<QueuedChange[]> {
    return [...(await this.#read()).queue.values()];
  }

  async enqueue(changes: readonly Change[]): Promise<void> {
    const queuedAt = new Date();
    const transaction = this.#database.transaction(["state", "queue"], "readwrite", { durability: "strict" });
    const revision = await nextRevision(transaction.objectStore("state"));
    const queue = transaction.objectStore("queue");
    const ids = Promise.all(changes.map((change) => queue.add({ queuedAt, change })));
    await transaction.done;
    const queued = (await ids).map((id, i) => ({ id, queuedAt, change: changes[i] as Change }));
    this.#announce({ revision, queued });
  }

  async commit({ state, put = [], remove = [], dequeue = [] }: Commit): Promise<void> {
    const transaction = this.#database.transaction(stores, "readwrite");
    const states = transaction.objectStore("state");
    const items = transaction.objectStore("items");
    const revision = await nextRevision(states);
    for (const id of remove) void items.delete(id);
    for (const item of put) void items.put(item);
    for (const id of dequeue) void transaction.objectStore("queue").delete(id);
    void states.put(state, "state");
    await transaction.done;
    this.#announce({ revision, state, put, remove, dequeue });
  }

  /** Ends the connection, so that the database can be deleted. */
  close(): void {
    this.#channel.close();
    this.#database.close();
  }

  async #read(wanted: { items?: boolean } = {}): Promise<Copy> {
    const transaction = this.#database.transaction(stores);
    const states = transaction.objectStore("state");
    const revision = ((await states.get("revision")) ?? 0) as number;
    let copy = this.#copy;
    if (copy?.revision !== revision) {
      const state = ((await states.get("state")) ?? { sent: 0 }) as SyncState;
      const changes = (await transaction.objectStore("queue").getAll()) as QueuedChange[];
      copy = { revision, state, queue: new Map(changes.map((change) => [change.id, change])), items: undefined };
      this.#copy = copy;
    }
    if (wanted.items && !copy.items) {
      const items = await transaction.objectStore("items").getAll();
      copy.items = new Map(items.map((item) => [item.itemId, item]));
    }
    return copy;
  }

  #announce(write: Write): void {
    this.#follow(write);
    this.#channel.postMessage(write);
  }

  /** Applies a write to the copy. A copy that has missed an earlier one is read anew. */
  #follow({ revision, state, put = [], remove = [], queued = [], dequeue = [] }: Write): void {
    const copy = this.#copy;
    if (copy?.revision !== revision - 1) return;
    copy.revision = revision;
    copy.state = state ?? copy.state;
    for (const id of remove) copy.items?.delete(id);
    for (const item of put) copy.items?.set(item.itemId, item);
    for (const change of queued) copy.queue.set(change.id, change);
    for (const id of dequeue) copy.queue.delete(id);
  }
}

/** Counts a write in the transaction that makes it. */
async function nextRevision(states: {
  get(key: "revision"): Promise<SyncState | number | undefined>;
  put(revision: number, key: "revision"): Promise<unknown>;
}): Promise<number> {
  const revision = Number((await states.get("revision")) ?? 0) + 1;
  void states.put(revision, "revision");
  return revision;
}
