// SPDX-License-Identifier: MIT

import { LRUCache } from "lru-cache";
import type { CopiedIndex, IndexObjects, ListIndexer, SearchIndex } from "../../ports/search.ts";
import type { User } from "../../ports/users.ts";
import { IndexedLists, type IndexerPorts, type IndexingLimits } from "./index-lists.ts";

/** Bytes of one stored index, some 50,000 kept articles; further pages are found by their titles, tags and notes. */
const maxIndexBytes = 256_000_000;
/** Room for two of them, and more usual ones. */
const maxCopiedBytes = 500_000_000;
/** A copy is dropped so long after its last use: it has the words of pages that were deleted meanwhile. */
const copiesKeptMs = 12 * 3_600_000;
/** Milliseconds until a process asks again for the index of a user to be stored. */
const askedAgainAfterMs = 60_000;

export interface StoringLimits extends IndexingLimits {
  /** Bytes of all copies of a process. */
  copiedBytes?: number;
  /** A stored index is replaced if at most so many bytes of it fall to each changed page: no change writes more. */
  bytesOfChange?: number;
}

/** This process's copy of a stored index. */
interface Copy {
  /** The etag of the stored index; undefined if no index is stored. */
  etag: string | undefined;
  /** Bytes of the stored index. */
  storedBytes: number;
  /** Bytes of the copy, with its log. */
  bytes: number;
  /** Pages that have changed in the copy since it was stored. */
  changes: number;
  /** The user is being deleted: nothing is stored any more. */
  isClosed: boolean;
}

const noCopy: Copy = { etag: undefined, storedBytes: 0, bytes: 0, changes: 0, isClosed: false };

const describeCopy = (etag: string, { length }: Uint8Array): Copy => ({
  etag,
  storedBytes: length,
  bytes: length,
  changes: 0,
  isClosed: false,
});

/**
 * The search indexes of a stage. Each is an object; a search works on a copy, which it brings up to date by itself. So a
 * search is never behind, and a list that nobody searches costs nothing. The copy of a process that writes replaces the
 * object by optimistic locking: of two writers one fails, and both have an index of the list.
 */
export class StoredIndexes implements ListIndexer {
  /** The indexes, by which changes are counted. */
  readonly searchIndex: SearchIndex;
  readonly #index: CopiedIndex;
  readonly #objects: IndexObjects;
  readonly #lists: IndexedLists;
  readonly #ask: (user: User) => Promise<void>;
  readonly #asked = new LRUCache<string, true>({ max: 10_000, ttl: askedAgainAfterMs });
  readonly #bytesOfChange: number;
  readonly #copies: LRUCache<string, Copy>;

  /** `ask`: asks for the index of a user to be stored; by default this process does that, after the answer. */
  constructor(
    ports: Omit<IndexerPorts, "searchIndex">,
    index: CopiedIndex,
    objects: IndexObjects,
    { copiedBytes = maxCopiedBytes, bytesOfChange = 1_000_000, ...limits }: StoringLimits = {},
    ask: (user: User) => Promise<void> = async (user) => void this.store(user).catch(() => {}),
  ) {
    this.#index = index;
    this.#objects = objects;
    this.#ask = ask;
    this.#bytesOfChange = bytesOfChange;
    this.#copies = new LRUCache<string, Copy>({
      maxSize: copiedBytes,
      sizeCalculation: ({ bytes }) => Math.max(1, bytes),
      ttl: copiesKeptMs,
      ttlAutopurge: true,
      updateAgeOnGet: true,
      dispose: (_, userId, reason) => {
        if (reason === "evict" || reason === "expire") index.drop(userId).catch(() => {});
      },
    });
    this.searchIndex = {
      ...index,
      putPages: (userId, pages) => {
        this.#change(userId, pages.length);
        return index.putPages(userId, pages);
      },
      putContents: async (userId, contents) => {
        await index.putContents(userId, contents);
        this.#copies.set(userId, { ...this.#copyOf(userId), bytes: await index.size(userId) });
      },
      remove: (userId, itemIds) => {
        this.#change(userId, itemIds.length);
        return index.remove(userId, itemIds);
      },
    };
    this.#lists = new IndexedLists(
      { ...ports, searchIndex: this.searchIndex },
      { fileBytes: maxIndexBytes, ...limits },
      (userId) => this.#fetch(userId),
    );
  }

  /** See `ListIndexer.update`. An update that takes long is done where indexes are stored. */
  async update(user: User): Promise<number> {
    const { userId } = user;
    const asOf = await this.#lists.update(user);
    const { changes, storedBytes, isClosed } = this.#copyOf(userId);
    const isBehind =
      asOf === 0 || this.#lists.isUpdating(user) || (changes > 0 && changes * this.#bytesOfChange >= storedBytes);
    if (isBehind && !isClosed && !this.#asked.has(userId)) {
      this.#asked.set(userId, true);
      await this.#ask(user);
    }
    return asOf;
  }

  /** Brings an index up to date and stores it, without any byte of removed data. */
  async store(user: User): Promise<void> {
    const { userId } = user;
    await this.#lists.finish(user);
    const { etag, changes, isClosed } = this.#copyOf(userId);
    const isWhole = (await this.#index.state(userId)) !== undefined;
    if (changes === 0 || isClosed || !isWhole) return;
    await this.#index.compact(userId);
    const content = await this.#index.exportFile(userId);
    const stored = await this.#objects.write(userId, content, etag);
    // If another process was faster, its index is fetched by the next update.
    if (stored !== undefined) this.#copies.set(userId, describeCopy(stored, content));
  }

  /** Removes the words of deleted pages from a stored index, if there is one. */
  async storeAgain(user: User): Promise<void> {
    await this.#fetch(user.userId);
    if (this.#copyOf(user.userId).etag !== undefined) await this.store(user);
  }

  #copyOf(userId: string): Copy {
    return this.#copies.get(userId) ?? noCopy;
  }

  #change(userId: string, pages: number): void {
    const copy = this.#copyOf(userId);
    if (pages > 0) this.#copies.set(userId, { ...copy, changes: copy.changes + pages });
  }

  /** Replaces the copy of an index by the stored one, if that is another one. */
  async #fetch(userId: string): Promise<boolean> {
    const copy = this.#copyOf(userId);
    const stored = await this.#objects.read(userId, copy.etag);
    if (stored === "unchanged") return false;
    const isClosed = stored?.content.length === 0;
    if (!stored || isClosed) {
      this.#copies.set(userId, { ...copy, etag: stored?.etag, isClosed });
      return false;
    }
    this.#copies.set(userId, describeCopy(stored.etag, stored.content));
    await this.#index.importFile(userId, stored.content);
    // Drops a damaged index, so that this update rebuilds it and no search fails.
    await this.#index.state(userId).catch(() => undefined);
    return true;
  }
}
