import { open, readFile, rename } from "node:fs/promises";
import type { Change } from "./change.ts";
import { MemoryStore } from "./memory-store.ts";
import type { Commit, QueuedChange, StoredItem, SyncState } from "./store.ts";

interface Contents {
  state: SyncState;
  lastId: number;
  items: StoredItem[];
  changes: QueuedChange[];
}

/** A store in a JSON file of one process. It is read once and written, under another name first, at each step. */
export class FileStore extends MemoryStore {
  readonly #path: string;
  #lastWrite: Promise<unknown> = Promise.resolve();

  private constructor(path: string, { state, lastId, items, changes }: Contents) {
    super();
    this.#path = path;
    this.current = state;
    this.lastId = lastId;
    for (const item of items) this.replica.set(item.itemId, item);
    for (const change of changes) this.changes.set(change.id, change);
  }

  /** Opens a file, or begins one that does not exist. Throws if the file is not one of this store. */
  static async open(path: string): Promise<FileStore> {
    let contents: Contents = { state: { sent: 0 }, lastId: 0, items: [], changes: [] };
    try {
      contents = JSON.parse(await readFile(path, "utf8"), (name, value) =>
        ["timeAdded", "timeUpdated", "queuedAt", "time"].includes(name) ? new Date(value) : value,
      );
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
    return new FileStore(path, contents);
  }

  override async enqueue(changes: readonly Change[]): Promise<void> {
    await super.enqueue(changes);
    await this.#write();
  }

  override async commit(commit: Commit): Promise<void> {
    await super.commit(commit);
    await this.#write();
  }

  /** One write at a time, in order; a failed write leaves the file as it was. */
  #write(): Promise<void> {
    const contents: Contents = {
      state: this.current,
      lastId: this.lastId,
      items: [...this.replica.values()],
      changes: [...this.changes.values()],
    };
    const text = JSON.stringify(contents);
    const write = this.#lastWrite.then(async () => {
      const unfinished = `${this.#path}.new`;
      const file = await open(unfinished, "w", 0o600);
      try {
        await file.writeFile(text);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(unfinished, this.#path);
    });
    this.#lastWrite = write.catch(() => {});
    return write;
  }
}
