import { type DBSchema, type IDBPDatabase, openDB } from "idb";
import type { Change } from "./change.ts";
import type { Commit, QueuedChange, Store, StoredItem, SyncState } from "./store.ts";

interface Schema extends DBSchema {
  state: { key: "state"; value: SyncState };
  items: { key: string; value: StoredItem };
  queue: { key: number; value: Omit<QueuedChange, "id"> & { id?: number } };
}

/** A store in the browser, for pages and workers. */
export class IndexedDbStore implements Store {
  readonly #database: IDBPDatabase<Schema>;

  private constructor(database: IDBPDatabase<Schema>) {
    this.#database = database;
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

  async state(): Promise<SyncState> {
    return (await this.#database.get("state", "state")) ?? { sent: 0 };
  }

  async items(ids?: readonly string[]): Promise<StoredItem[]> {
    if (!ids) return this.#database.getAll("items");
    const { store } = this.#database.transaction("items");
    return (await Promise.all(ids.map((id) => store.get(id)))).filter((item) => item !== undefined);
  }

  async queue(): Promise<QueuedChange[]> {
    return (await this.#database.getAll("queue")) as QueuedChange[];
  }

  async enqueue(changes: readonly Change[]): Promise<void> {
    const transaction = this.#database.transaction("queue", "readwrite", { durability: "strict" });
    const queuedAt = new Date();
    for (const change of changes) void transaction.store.add({ queuedAt, change });
    await transaction.done;
  }

  async commit({ state, put = [], remove = [], dequeue = [] }: Commit): Promise<void> {
    const transaction = this.#database.transaction(["state", "items", "queue"], "readwrite");
    const items = transaction.objectStore("items");
    for (const id of remove) void items.delete(id);
    for (const item of put) void items.put(item);
    for (const id of dequeue) void transaction.objectStore("queue").delete(id);
    void transaction.objectStore("state").put(state, "state");
    await transaction.done;
  }

  /** Ends the connection, so that the database can be deleted. */
  close(): void {
    this.#database.close();
  }
}
