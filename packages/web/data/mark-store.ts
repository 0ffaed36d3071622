import {
  ApiError,
  type HighlightChange,
  type ReadingListClient,
  type StoredHighlight,
} from "@reading-list/client/main.ts";
import { type DBSchema, type IDBPDatabase, openDB } from "idb";
import type { Mark, MarkStore } from "./marks.ts";

/** A change that waits to be sent. One that the service refused stays, and is sent again after the next start. */
type QueuedMark = { id?: number; isRefused?: boolean } & (
  | { kind: "save"; change: HighlightChange }
  | { kind: "delete"; markId: string }
);

type KeptMark = Mark & Partial<Pick<StoredHighlight, "itemId">>;

interface Schema extends DBSchema {
  /** As the service has them. */
  marks: { key: string; value: KeptMark };
  queue: { key: number; value: QueuedMark };
  /** Under `since`: Unix time of the service from which to continue. */
  state: { key: "since"; value: number };
}

/** Changes and characters of one call; the service takes 99 as a whole, and 1 MB. */
const maxChanges = 99;
const maxCharacters = 300_000;
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

  async save(change: HighlightChange): Promise<void> {
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
      const queue = (await this.#database.getAll("queue")).filter(({ isRefused }) => !isRefused);
      const batch = firstBatch(queue);
      if (batch.length === 0) return;
      try {
        await client.changeHighlights({
          save: batch.flatMap((queued) => (queued.kind === "save" ? [timed(queued.change, tellsTimes)] : [])),
          delete: batch.flatMap((queued) => (queued.kind === "delete" ? [queued.markId] : [])),
        });
      } catch (error) {
        const message = error instanceof ApiError && error.kind === "invalid" ? error.message : "";
        if (!message) throw error;
        if (tellsTimes && message.includes("future")) {
          // This device's clock is ahead of the service's.
          tellsTimes = false;
          continue;
        }
        const refused = batch[Number(/(?:save|delete)\.(\d+)/.exec(message)?.[1] ?? 0)];
        if (!refused) throw error;
        await this.#database.put("queue", { ...refused, isRefused: true });
        onRefused(message);
        continue;
      }
      await this.#settle(batch);
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
    const gone = new Set(list.deletedItems);
    const transaction = this.#database.transaction(["marks", "state"], "readwrite");
    const marks = transaction.objectStore("marks");
    if (list.isComplete) await marks.clear();
    for (const id of list.deleted) await marks.delete(id);
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
function withChange<T extends Mark>(mark: T | undefined, change: HighlightChange): T | Mark | undefined {
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

function timed(change: HighlightChange, tellsTimes: boolean): HighlightChange {
  if (tellsTimes) return change;
  const { timeCreated: _, ...others } = change;
  return others;
}

/** The first changes of one kind, as many as fit into one call: the service saves before it deletes. */
function firstBatch(queue: readonly QueuedMark[]): QueuedMark[] {
  const [first] = queue;
  let characters = 0;
  const end = queue.findIndex((queued, i) => {
    characters += JSON.stringify(queued).length;
    return i > 0 && (i >= maxChanges || characters > maxCharacters || queued.kind !== first?.kind);
  });
  return queue.slice(0, end < 0 ? queue.length : end);
}
