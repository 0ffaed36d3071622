import { LRUCache } from "lru-cache";
import { type Item, shownAsOf } from "../domain/item.ts";
import type { ListRange } from "../domain/list-range.ts";
import type { ItemParts, ItemStore, User, WholeList, WholeListReader } from "../ports.ts";

/** Items that a process remembers over all lists: some 40 MB. */
const itemsKept = 50_000;

const allOf = async (parts: ItemParts): Promise<Item[]> => (await Array.fromAsync(parts)).flat();

const allAfter = (after: number | undefined): ListRange => ({
  state: undefined,
  after,
  applicationId: undefined,
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

  constructor(items: Pick<ItemStore, "list">) {
    this.#items = items;
  }

  async read(user: User): Promise<WholeList> {
    const known = this.#known(user);
    if (known && user.clock.changedAt <= known.asOf) return known;
    const listing = await this.#items.list(user, allAfter(known?.asOf));
    const items = new Map(known?.items);
    for (const item of await allOf(listing.items)) items.set(item.itemId, shownAsOf(item, listing.asOf));
    for (const { itemId } of await allOf(listing.deleted)) items.delete(itemId);
    const list = { items, asOf: listing.asOf, revision: user.revision };
    // An import is under way if it is 0: what it has yet to write may be older than the list.
    if (list.asOf > 0) this.#lists.set(user.userId, list);
    return list;
  }

  async changes(user: User, after: number): Promise<{ changed: Item[]; deleted: Item[] }> {
    if (user.clock.changedAt <= after) return { changed: [], deleted: [] };
    const { items, deleted } = await this.#items.list(user, allAfter(after));
    return { changed: await allOf(items), deleted: await allOf(deleted) };
  }

  async deletedSince(user: User, after: number): Promise<number> {
    return user.deletedAt <= after ? 0 : (await this.changes(user, after)).deleted.length;
  }

  /** A database that was restored has an earlier revision. */
  #known({ userId, revision }: User): WholeList | undefined {
    const known = this.#lists.get(userId);
    return known && known.revision <= revision ? known : undefined;
  }
}
