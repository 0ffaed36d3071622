// SPDX-License-Identifier: MIT

import { ApiError, type Highlight, type HighlightChange, type ReadingListClient } from "@reading-list/client/main.ts";
import { type DBSchema, type IDBPDatabase, openDB } from "idb";
import type { Mark, MarkChange, MarkStore } from "./marks.ts";

/** A change that waits to be sent. One that the service refused stays, and is sent again after the next start. */
type QueuedMark = { id?: number; isRefused?: boolean } & (
  | { kind: "save"; change: MarkChange }
  | { kind: "delete"; markId: string }
);

type KeptMark = Mark & Partial<Pick<Highlight, "itemId" | "timeUpdated">>;

interface Schema extends DBSchema {
  /** As the service has them. */
  marks: { key: string; value: KeptMark };
  queue: { key: number; value: QueuedMark };
  /** Under `since`: Unix time of the service from which to continue. */
  state: { key: "since"; value: number };
}

/** Changes of one call. */
const maxChanges = 99;
/** Marks on a page of the first sync. */
const pageSize = 1000;

/** The marks of a user in the browser's database, and the changes that wait to be sent. */
export class IndexedDbMarkStore implements MarkStore {
  readonly #database: IDBPDatabase<Schema>;

  private constructor(database: IDBPDatabase<Schema>) {
    this.#database = database;
  }

  static async open(name: string): Promise<IndexedDbMarkStore> {
    const database = await openDB<Schema>(name, 1, {
      upgrade(created) {
        created.createObjectStore("marks", { keyPath: "id" });
        created.createObjectStore("queue", { keyPath: "id", autoIncrement: true });
        created.createObjectStore("state");
      },
    });
    const store = new IndexedDbMarkStore(database);
    const refused = (await database.getAll("queue")).filter(({ isRefused }) => isRefused);
    for (const change of refused) await database.put("queue", { ...change, isRefused: false });
    return store;
  }

  close(): void {
    this.#database.close();
  }

  /** The marks of the service with the queued changes on top: a local change wins. */
  async all(): Promise<Mark[]> {
    const transaction = this.#database.transaction(["marks", "queue"]);
    const [marks, queue] = await Promise.all([
      transaction.objectStore("marks").getAll(),
      transaction.objectStore("queue").getAll(),
    ]);
    const shown = new Map<string, Mark>(marks.map((mark) => [mark.id, mark]));
    for (const queued of queue) {
      if (queued.kind === "delete") shown.delete(queued.markId);
      else {
        const after = withChange(shown.get(queued.change.id), queued.change);
        if (after) shown.set(after.id, after);
      }
    }
    return [...shown.values()];
  }

  async unsent(): Promise<number> {
    return (await this.#database.getAll("queue")).filter(({ isRefused }) => !isRefused).length;
  }

  async save(change: MarkChange): Promise<void> {
    await this.#database.add("queue", { kind: "save", change });
  }

  async delete(markId: string): Promise<void> {
    await this.#database.add("queue", { kind: "delete", markId });
  }

  /**
   * Sends the queued changes in order. One that the service refuses is set aside, so that it blocks no other. Throws
   * `ApiError`.
   */
  async push(client: ReadingListClient, onRefused: (message: string) => void): Promise<void> {
    let tellsTimes = true;
    for (;;) {
      const batch = (await this.#database.getAll("queue")).filter(({ isRefused }) => !isRefused).slice(0, maxChanges);
      if (batch.length === 0) return;
      const changes = batch.map((queued) => changeOf(queued, tellsTimes));
      const rejected = new Map((await client.sendHighlights(changes)).map(({ change, message }) => [change, message]));
      const messageOf = (place: number) => rejected.get(changes[place] as HighlightChange);
      await this.#settle(batch.filter((_, place) => messageOf(place) === undefined));
      for (const [place, queued] of batch.entries()) {
        const message = messageOf(place);
        if (message === undefined) continue;
        // This device's clock is ahead of the service's.
        if (tellsTimes && message.includes("future")) tellsTimes = false;
        else {
          await this.#database.put("queue", { ...queued, isRefused: true });
          onRefused(message);
        }
      }
    }
  }

  /** Makes sent changes those of the service. */
  async #settle(batch: readonly QueuedMark[]): Promise<void> {
    const transaction = this.#database.transaction(["marks", "queue"], "readwrite");
    const marks = transaction.objectStore("marks");
    for (const queued of batch) {
      if (queued.kind === "delete") await marks.delete(queued.markId);
      else {
        const after = withChange(await marks.get(queued.change.id), queued.change);
        if (after) await marks.put(after);
      }
      if (queued.id !== undefined) await transaction.objectStore("queue").delete(queued.id);
    }
    await transaction.done;
  }

  /**
   * Fetches what has changed, if there is something new; `isListed` tells which pages are in the list. Throws `ApiError`.
   */
  async pull(client: ReadingListClient, isListed: (url: string) => boolean): Promise<void> {
    const since = await this.#database.get("state", "since");
    if (since === undefined) return this.#fetchAll(client);
    // Also after the service was restored from a backup.
    if (client.highlightsUpdated !== undefined && client.highlightsUpdated <= since) return;
    const list = await client.highlights({ since }).catch((error) => {
      if (error instanceof ApiError && error.message.includes("too large")) return undefined;
      throw error;
    });
    if (!list || list.since < since) return this.#fetchAll(client);
    const gone = new Set(Object.keys(list.deletedItems));
    const transaction = this.#database.transaction(["marks", "state"], "readwrite");
    const marks = transaction.objectStore("marks");
    if (list.isComplete) await marks.clear();
    for (const id of Object.keys(list.deleted)) await marks.delete(id);
    if (gone.size > 0) {
      for (const { id, itemId, url } of await marks.getAll()) {
        // A mark that this device has sent has no id of its item before the next pull.
        if (itemId ? gone.has(itemId) : !isListed(url)) await marks.delete(id);
      }
    }
    for (const mark of list.highlights) await marks.put(mark);
    await transaction.objectStore("state").put(list.since, "since");
    await transaction.done;
  }

  async #fetchAll(client: ReadingListClient): Promise<void> {
    const marks: KeptMark[] = [];
    let since: number | undefined;
    for (let page = 1; ; page++) {
      const list = await client.highlights({ count: pageSize, page });
      // Changes after the first page are told by the next call.
      since ??= list.since;
      marks.push(...list.highlights);
      if (list.isComplete || list.highlights.length < pageSize) break;
    }
    const transaction = this.#database.transaction(["marks", "state"], "readwrite");
    await transaction.objectStore("marks").clear();
    for (const mark of marks) await transaction.objectStore("marks").put(mark);
    await transaction.objectStore("state").put(since ?? 0, "since");
    await transaction.done;
  }
}

/** A mark after a change; undefined if it is unknown, such as one that another device has deleted. */
function withChange<T extends Mark>(mark: T | undefined, change: MarkChange): T | Mark | undefined {
  if (mark) return { ...mark, ...change };
  const {
    url,
    quote,
    prefix = "",
    suffix = "",
    color = "yellow",
    note = "",
    timeCreated = new Date(),
    ...fields
  } = change;
  return url && quote ? { ...fields, url, quote, prefix, suffix, color, note, timeCreated } : undefined;
}

/** A queued change as the client sends it. */
function changeOf(queued: QueuedMark, tellsTimes: boolean): HighlightChange {
  if (queued.kind === "delete") return { kind: "delete", id: queued.markId };
  const { timeCreated, ...fields } = queued.change;
  return { kind: "save", ...fields, ...(tellsTimes && timeCreated && { timeCreated }) };
}
