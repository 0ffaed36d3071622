// SPDX-License-Identifier: MIT

import { type IDBPDatabase, openDB } from "idb";
import type { Change } from "./change.ts";
import type { Highlight, HighlightChange } from "./highlight.ts";
import type { Packed, Schema } from "./pack-records.ts";
import type { HighlightState, HighlightStore, Queued, Step, Store, StoredItem, SyncState } from "./store.ts";

const stores = ["state", "items", "queue"] as const;

/** More records than this are packed, and packed again when more of them were written since. */
const maxLoose = 1000;
/** Milliseconds without a write after which records are packed. */
const untilPacked = 2000;

/** The database as of a revision. */
interface Copy<Stored, C, State> {
  revision: number;
  state: State;
  queue: Map<number, Queued<C>>;
  /** Read when all records are asked for the first time. */
  records: Map<string, Stored> | undefined;
}

/** The changes of a write, for the copies of this tab and of others. */
interface Write<Stored, C, State> extends Partial<Step<Stored, State>> {
  revision: number;
  queued?: readonly Queued<C>[];
}

const openDatabase = (name: string, keyPath: string): Promise<IDBPDatabase<Schema>> =>
  openDB<Schema>(name, 1, {
    upgrade(created) {
      created.createObjectStore("state");
      created.createObjectStore("items", { keyPath });
      created.createObjectStore("queue", { keyPath: "id", autoIncrement: true });
    },
  });

/**
 * A replica in the browser, for pages and workers. It reads the database once and keeps a copy in memory, which follows the
 * writes of this tab and of others; so a call reads a record only if the copy has missed a write.
 */
class IndexedDbReplica<Stored, C, State extends { sent: number }> {
  readonly #database: IDBPDatabase<Schema>;
  readonly #idOf: (stored: Stored) => string;
  readonly #channel: BroadcastChannel;
  #copy: Copy<Stored, C, State> | undefined;
  #packing: ReturnType<typeof setTimeout> | undefined;

  protected constructor(database: IDBPDatabase<Schema>, idOf: (stored: Stored) => string) {
    this.#database = database;
    this.#idOf = idOf;
    this.#channel = new BroadcastChannel(`${database.name} (IndexedDbStore)`);
    this.#channel.onmessage = ({ data }: MessageEvent<Write<Stored, C, State>>) => this.#follow(data);
  }

  /** Calls `listener` after another tab or worker has changed the store. */
  onOtherTab(listener: () => void): void {
    this.#channel.addEventListener("message", listener);
  }

  async state(): Promise<State> {
    return (await this.#read()).state;
  }

  protected async records(ids?: readonly string[]): Promise<Stored[]> {
    if (!ids) return [...((await this.#read({ records: true })).records?.values() ?? [])];
    const { records } = await this.#read();
    if (records) return ids.flatMap((id) => records.get(id) ?? []);
    const { store } = this.#database.transaction("items");
    return (await Promise.all(ids.map((id) => store.get(id)))).filter((found) => found !== undefined) as Stored[];
  }

  async queue(): Promise<Queued<C>[]> {
    return [...(await this.#read()).queue.values()];
  }

  async enqueue(changes: readonly C[]): Promise<void> {
    const queuedAt = new Date();
    const transaction = this.#database.transaction(["state", "queue"], "readwrite", { durability: "strict" });
    const revision = await this.#nextRevision(transaction.objectStore("state"));
    const queue = transaction.objectStore("queue");
    const ids = Promise.all(changes.map((change) => queue.add({ queuedAt, change })));
    await transaction.done;
    const queued = (await ids).map((id, i) => ({ id, queuedAt, change: changes[i] as C }));
    this.#announce({ revision, queued });
  }

  async commit({ state, put = [], remove = [], dequeue = [] }: Step<Stored, State>): Promise<void> {
    const transaction = this.#database.transaction(stores, "readwrite");
    const states = transaction.objectStore("state");
    const records = transaction.objectStore("items");
    const revision = await this.#nextRevision(states, [...remove, ...put.map(this.#idOf)]);
    for (const id of remove) void records.delete(id);
    for (const record of put) void records.put(record);
    for (const id of dequeue) void transaction.objectStore("queue").delete(id);
    void states.put(state, "state");
    await transaction.done;
    this.#announce({ revision, state, put, remove, dequeue });
  }

  /** Ends the connection, so that the database can be deleted. */
  close(): void {
    clearTimeout(this.#packing);
    this.#channel.close();
    this.#database.close();
  }

  async #read(wanted: { records?: boolean } = {}): Promise<Copy<Stored, C, State>> {
    const transaction = this.#database.transaction(stores);
    const states = transaction.objectStore("state");
    const revision = ((await states.get("revision")) ?? 0) as number;
    let copy = this.#copy;
    if (copy?.revision !== revision) {
      const state = ((await states.get("state")) ?? { sent: 0 }) as State;
      const changes = (await transaction.objectStore("queue").getAll()) as Queued<C>[];
      copy = { revision, state, queue: new Map(changes.map((change) => [change.id, change])), records: undefined };
      this.#copy = copy;
    }
    if (wanted.records && !copy.records) {
      const items = transaction.objectStore("items");
      const packed = (await states.get("packed")) as Packed | undefined;
      const loose = packed?.revision === revision ? packed.loose : undefined;
      const parts = loose && (await states.getAll(IDBKeyRange.upperBound(Number.POSITIVE_INFINITY)));
      const read = (parts?.flat() ?? (await items.getAll())) as Stored[];
      const records = new Map(read.map((record) => [this.#idOf(record), record]));
      for (const id of loose ?? []) records.delete(id);
      const found = await Promise.all((loose ?? []).map((id) => items.get(id)));
      for (const record of found as (Stored | undefined)[]) if (record) records.set(this.#idOf(record), record);
      copy.records = records;
      if (!loose) this.#packSoon();
    }
    return copy;
  }

  /** Counts a write in the transaction that makes it, and notes the records that it changes. */
  async #nextRevision(
    states: {
      get(key: "revision" | "packed"): Promise<unknown>;
      put(value: unknown, key: "revision" | "packed"): Promise<unknown>;
    },
    ids: readonly string[] = [],
  ): Promise<number> {
    const before = Number((await states.get("revision")) ?? 0);
    const revision = before + 1;
    void states.put(revision, "revision");
    const packed = (await states.get("packed")) as Packed | undefined;
    const loose = packed?.revision === before ? [...new Set([...packed.loose, ...ids])] : undefined;
    if (loose && loose.length <= maxLoose) void states.put({ revision, loose } satisfies Packed, "packed");
    else this.#packSoon();
    return revision;
  }

  /** Packs the records of a long list once nothing is written any more. */
  #packSoon(): void {
    clearTimeout(this.#packing);
    this.#packing = setTimeout(async () => {
      const { records, revision = 0 } = this.#copy ?? {};
      if (!records || records.size <= maxLoose) return;
      // Without its code, without room, or after the end of the connection, the records are read one by one.
      const packing = import("./pack-records.ts");
      await packing
        .then(({ packRecords }) => packRecords(this.#database, [...records.values()], revision))
        .catch(() => {});
    }, untilPacked);
  }

  #announce(write: Write<Stored, C, State>): void {
    this.#follow(write);
    this.#channel.postMessage(write);
  }

  /** Applies a write to the copy. A copy that has missed an earlier write is read again. */
  #follow({ revision, state, put = [], remove = [], queued = [], dequeue = [] }: Write<Stored, C, State>): void {
    const copy = this.#copy;
    if (copy?.revision !== revision - 1) return;
    copy.revision = revision;
    copy.state = state ?? copy.state;
    for (const id of remove) copy.records?.delete(id);
    for (const record of put) copy.records?.set(this.#idOf(record), record);
    for (const change of queued) copy.queue.set(change.id, change);
    for (const id of dequeue) copy.queue.delete(id);
  }
}

/** A store in the browser, for pages and workers; tabs that have it open follow each other. */
export class IndexedDbStore extends IndexedDbReplica<StoredItem, Change, SyncState> implements Store {
  /** Opens a database, or creates it. Use another name for each user, so that no list is mixed with another. */
  static async open(name: string): Promise<IndexedDbStore> {
    return new IndexedDbStore(await openDatabase(name, "itemId"), ({ itemId }) => itemId);
  }

  items(ids?: readonly string[]): Promise<StoredItem[]> {
    return this.records(ids);
  }
}

/** The same for highlights, in a separate database. */
export class IndexedDbHighlightStore
  extends IndexedDbReplica<Highlight, HighlightChange, HighlightState>
  implements HighlightStore
{
  static async open(name: string): Promise<IndexedDbHighlightStore> {
    return new IndexedDbHighlightStore(await openDatabase(name, "id"), ({ id }) => id);
  }

  highlights(): Promise<Highlight[]> {
    return this.records();
  }
}
