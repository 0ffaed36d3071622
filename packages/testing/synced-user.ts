// SPDX-License-Identifier: MIT

import { expect } from "vitest";
import type { CheckedUser } from "./checked-user.ts";
import { ClientReader } from "./client-reader.ts";
import { ExpectedList } from "./list-model.ts";
import { ListWriter } from "./list-writer.ts";
import { type ListReader, SyncingReader, WalkingReader } from "./syncing-reader.ts";

/**
 * A user with several clients that change one list at the same time, and three that sync it: at once, page by page, and
 * with packages/client.
 */
export class SyncedUser {
  readonly list = new ExpectedList();
  readonly user: CheckedUser;
  readonly readers: readonly ListReader[];
  readonly writers: readonly ListWriter[];

  /**
   * `newRandom` creates each client's source of random actions. `twin` is the same user of another process, which every
   * second client uses.
   */
  constructor(user: CheckedUser, writers: number, newRandom: () => () => number, twin = user) {
    this.user = user;
    this.readers = [
      new SyncingReader(user, this.list),
      new WalkingReader(twin, this.list, newRandom()),
      new ClientReader(user, this.list, newRandom()),
      ...(twin === user ? [] : [new SyncingReader(twin, this.list)]),
    ];
    this.writers = Array.from(
      { length: writers },
      (_, i) => new ListWriter(i % 2 ? twin : user, this.list, `writer-${i}`, newRandom()),
    );
  }

  /** Expects, while no client acts, that the list is as acknowledged, its counts are exact, and all replicas are equal. */
  async expectWhole(): Promise<void> {
    const items = await this.user.items();
    this.list.expectEqual(items);
    const unread = items.filter(({ state }) => state === "0").length;
    const counts = { count_list: `${items.length}`, count_unread: `${unread}`, count_read: `${items.length - unread}` };
    expect(await this.user.stats()).toMatchObject(counts);
    for (const reader of this.readers) {
      await reader.sync();
      expect(reader.items).toEqual(new Map(items.map((item) => [item.url, item])));
    }
  }
}
