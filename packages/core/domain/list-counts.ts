// SPDX-License-Identifier: MIT

import { type Item, kindOf } from "./item.ts";

type CountedItem = Pick<Item, "isDeleted" | "state" | "timeUpdated">;

type CountedRecord = Partial<ReturnType<ListCounts["attributesAt"]>> & { changedAt: number };

/** The counts of a user's record, recomputed from the items. */
export class ListCounts {
  unread = 0;
  read = 0;
  #newestTime = 0;
  #newest = { unread: 0, read: 0, deleted: 0 };

  add(item: CountedItem): void {
    const { timeUpdated } = item;
    const kind = kindOf(item);
    if (kind !== "deleted") this[kind] += 1;
    if (timeUpdated > this.#newestTime) {
      this.#newestTime = timeUpdated;
      this.#newest = { unread: 0, read: 0, deleted: 0 };
    }
    if (timeUpdated === this.#newestTime) this.#newest[kind] += 1;
  }

  /** The attributes of the record of a list that was changed at `changedAt` for the last time, in unix seconds. */
  attributesAt(changedAt: number) {
    const newest = this.#newestTime === changedAt ? this.#newest : { unread: 0, read: 0, deleted: 0 };
    return {
      countUnread: this.unread,
      countRead: this.read,
      newestUnread: newest.unread,
      newestRead: newest.read,
      newestDeleted: newest.deleted,
    };
  }

  /** Whether a record has other counts. Tombstones are ignored: they expire without a change of the record. */
  differFrom(record: CountedRecord): boolean {
    const { newestDeleted: _, ...counted } = this.attributesAt(record.changedAt);
    return Object.entries(counted).some(([name, count]) => count !== (record[name as keyof typeof counted] ?? 0));
  }
}
