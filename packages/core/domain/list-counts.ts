// SPDX-License-Identifier: MIT

import { type Item, itemKind } from "./item.ts";

type CountedItem = Pick<Item, "isDeleted" | "state" | "timeUpdated">;

type CountedRecord = Partial<ReturnType<ListCounts["findAttributes"]>> & RecordState;
/** The owner of a list, and when it was changed last, in unix seconds. */
type RecordState = { userId: string; changedAt: number };

/** The numbers of a user's items, highlights (including the trash) and saved copies, and the bytes of the copies. */
export type ListTotals = Record<(typeof totals)[number], number>;
const totals = ["countUnread", "countRead", "highlights", "articles", "articleBytes"] as const;

/** The totals that only a user's record has. */
export const pickTotals = (record: ListTotals): ListTotals =>
  Object.fromEntries(totals.map((name) => [name, record[name]])) as ListTotals;

/** The names of the totals in which two differ. */
export const driftedTotals = (one: ListTotals, other: ListTotals): (typeof totals)[number][] =>
  totals.filter((name) => one[name] !== other[name]);

/** The counts of a user's record, recomputed from items, highlights and kept articles. */
export class ListCounts {
  unread = 0;
  read = 0;
  #articles = 0;
  #articleBytes = 0;
  /** By owner: records of a former user with the same name do not count. */
  readonly #highlights = new Map<string, number>();
  #newestTime = 0;
  #newest = { unread: 0, read: 0, deleted: 0 };

  add(item: CountedItem): void {
    const { timeUpdated } = item;
    const kind = itemKind(item);
    if (kind !== "deleted") this[kind] += 1;
    if (timeUpdated > this.#newestTime) {
      this.#newestTime = timeUpdated;
      this.#newest = { unread: 0, read: 0, deleted: 0 };
    }
    if (timeUpdated === this.#newestTime) this.#newest[kind] += 1;
  }

  addHighlight(userId: string): void {
    this.#highlights.set(userId, (this.#highlights.get(userId) ?? 0) + 1);
  }

  addArticle(bytes: number): void {
    this.#articles += 1;
    this.#articleBytes += bytes;
  }

  /** The counts that commands show. */
  findCounts(userId: string): ListTotals {
    const [highlights, articles] = [this.#highlights.get(userId) ?? 0, this.#articles];
    const items = { countUnread: this.unread, countRead: this.read };
    return { ...items, highlights, articles, articleBytes: this.#articleBytes };
  }

  /** The attributes of the record of a list. */
  findAttributes({ userId, changedAt }: RecordState) {
    const newest = this.#newestTime === changedAt ? this.#newest : { unread: 0, read: 0, deleted: 0 };
    return {
      ...this.findCounts(userId),
      newestUnread: newest.unread,
      newestRead: newest.read,
      newestDeleted: newest.deleted,
    };
  }

  /** Whether a record has other counts. Tombstones are ignored: they expire without a change of the record. */
  differFrom(record: CountedRecord): boolean {
    const { newestDeleted: _, ...counted } = this.findAttributes(record);
    return Object.entries(counted).some(([name, count]) => count !== (record[name as keyof typeof counted] ?? 0));
  }
}
