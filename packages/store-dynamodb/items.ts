// SPDX-License-Identifier: MIT

import { newerState } from "@reading-list/core/domain/list-write.ts";
import type { ItemStore, WritableList, WriteOutcome } from "@reading-list/core/ports/items.ts";
import type { Table } from "./client.ts";
import { assignNumbers, findByNumber } from "./numbers.ts";
import { findItems } from "./query-items.ts";
import { createListReader } from "./read-list.ts";
import type { StoredUser } from "./users.ts";
import { writeItems } from "./write-items.ts";

/** The items' records and their two indexes (docs/data.md). */
export function createItemStore(table: Table): ItemStore {
  const readList = createListReader(table);
  const enqueueWrite = createWriteQueues();
  const createFinder = (username: string) => (itemIds: readonly string[]) => findItems(table, username, itemIds);
  return {
    find: (username, itemIds) => findItems(table, username, itemIds),

    // Users come from this store.
    list: (user, range) => readList(user as StoredUser, range),

    assignNumbers: (user, itemIds) => assignNumbers(table, user, "item", itemIds, createFinder(user.username)),
    findByNumber: (username, number) => findByNumber(table, username, "item", number, createFinder(username)),

    write: (list, writes, now, step) =>
      // All writes of a user need the same revision: of concurrent ones, all but one would have to be retried.
      enqueueWrite(list, (latest) => writeItems(table, latest, writes, now, step)),
  };
}

/** A queue of writes for each user. Each write starts from the list state that the previous one left. */
function createWriteQueues() {
  const lastWrites = new Map<string, Promise<WritableList | undefined>>();
  return async (list: WritableList, write: (latest: WritableList) => Promise<WriteOutcome>): Promise<WriteOutcome> => {
    const { username } = list;
    const before = lastWrites.get(username);
    const outcome = (async () => write(newerState(list, await before)))();
    const lastWrite = outcome.then(
      (result) => result.list,
      () => undefined,
    );
    lastWrites.set(username, lastWrite);
    try {
      return await outcome;
    } finally {
      if (lastWrites.get(username) === lastWrite) lastWrites.delete(username);
    }
  };
}
