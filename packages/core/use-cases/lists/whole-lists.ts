// SPDX-License-Identifier: MIT

import { LRUCache } from "lru-cache";
import { type Item, itemsIn, shownAsOf } from "../../domain/item.ts";
import type { ListRange } from "../../domain/list-range.ts";
import type { ItemStore, WholeList, WholeListReader } from "../../ports/items.ts";
import type { User } from "../../ports/users.ts";

/** Items that a process remembers over all lists: some 40 MB. */
const itemsKept = 50_000;

const allAfter = (after: number | undefined): ListRange => ({
  filter: [],
  after,
  itemId: undefined,
  skip: 0,
  limit: undefined,
  deletions: "apart",
});

/**
 * Remembers the lists that it has read, and brings them up to date with the changes since, as clients do: the later pages
 * of a walk cost no read of the list.
 */
export class WholeLists implements WholeListReader {
  readonly #items: Pick<ItemStore, "list">;
  readonly #lists = new LRUCache<string, WholeList>({
    maxSize: itemsKept,
    sizeCalculation: ({ items }) => items.size + 1,
  });

  readonly #reading = new Map<string, Promise<WholeList>>();

  constructor(items: Pick<ItemStore, "list">) {
    this.#items = items;
  }

  /** Calls at once share one read: a list of 100,000 takes 100 MB. */
  async read(user: User): Promise<WholeList> {
    for (let begun = this.#reading.get(user.userId); begun; begun = this.#reading.get(user.userId)) {
      const list = await begun.catch(() => undefined);
      if (list && user.clock.changedAt <= list.asOf) return list;
    }
    const reading = this.#read(user).finally(() => this.#reading.delete(user.userId));
    this.#reading.set(user.userId, reading);
    return reading;
  }

  async #read(user: User): Promise<WholeList> {
    const known = this.#known(user);
    if (known && user.clock.changedAt <= known.asOf) return known;
    const listing = await this.#items.list(user, allAfter(known?.asOf));
    const items = new Map(known?.items);
    for await (const part of listing.items)
      for (const item of part) items.set(item.itemId, shownAsOf(item, listing.asOf));
    for await (const part of listing.deleted) for (const { itemId } of part) items.delete(itemId);
    const list = { items, asOf: listing.asOf, revision: user.revision };
    // If it is 0, an import may be running, and it may still write items that are older than the list.
    if (list.asOf > 0) this.#lists.set(user.userId, list);
    return list;
  }

  async changes(user: User, after: number): Promise<{ changed: Item[]; deleted: Item[]; asOf: number }> {
    if (user.clock.changedAt <= after) return { changed: [], deleted: [], asOf: user.clock.lastSince };
    const { items, deleted, asOf } = await this.#items.list(user, allAfter(after));
    return { changed: await itemsIn(items), deleted: await itemsIn(deleted), asOf };
  }

  /** A database that was restored has an earlier revision, and a list whose clock was repaired an earlier clock. */
  #known({ userId, revision, clock }: User): WholeList | undefined {
    const known = this.#lists.get(userId);
    return known && known.revision <= revision && known.asOf <= clock.lastSince ? known : undefined;
  }
}
