// SPDX-License-Identifier: MIT

import { type Item, isAsSeen } from "@reading-list/core/domain/item.ts";
import { planListWrite } from "@reading-list/core/domain/list-write.ts";
import { nextTurn } from "@reading-list/core/domain/turns.ts";
import { wrongCredentials } from "@reading-list/core/errors.ts";
import type { ItemStore, WriteOutcome } from "@reading-list/core/ports/items.ts";
import type { Database } from "./database.ts";
import { findItem, readItems, saveItem, selectItems } from "./item-rows.ts";
import { assignNumbers } from "./numbers.ts";
import { createListReader } from "./read-list.ts";
import { findRow, parseUser } from "./users.ts";

/** Items looked up in one turn of the event loop: some 2 ms. */
const itemsAtOnce = 500;

const findUserRowId = (database: Database, username: string) =>
  Number(database.get("SELECT id FROM users WHERE username = :username", { username })?.id ?? 0);

/** The items of the lists. */
export const createItemStore = (database: Database): ItemStore => ({
  async find(username, itemIds) {
    const found = new Map<string, Item>();
    const user = findUserRowId(database, username);
    for (const [index, itemId] of itemIds.entries()) {
      if (index > 0 && index % itemsAtOnce === 0) await nextTurn();
      const item = findItem(database, user, itemId);
      if (item) found.set(itemId, item);
    }
    return found;
  },

  list: createListReader(database),

  assignNumbers: (user, itemIds) => assignNumbers(database, user, "items", itemIds),

  async findByNumber(username, number) {
    const user = findUserRowId(database, username);
    return readItems(database, `${selectItems} AND number = :number`, { user, number })[0];
  },

  write: (list, writes, now, step) => database.save(() => writeItems(database, list, writes, now, step)),
});

function writeItems(database: Database, ...[list, writes, now, step]: Parameters<ItemStore["write"]>): WriteOutcome {
  const row = findRow(database, list.username);
  if (row?.password_hash == null || row.user_id !== list.userId) throw wrongCredentials();
  const id = Number(row.id);
  const { clock, revision, unfinished, countUnread, countRead, deletedAt } = parseUser(row);
  const seen = { ...list, clock, revision, unfinished };
  if (!writes.every(({ before, after }) => isAsSeen(findItem(database, id, after.itemId), before))) {
    return { kind: "stale", list: seen };
  }
  const plan = planListWrite(seen, writes, now, step);
  for (const item of plan.items) saveItem(database, id, item);
  database.run(
    `UPDATE users SET count_unread = :unread, count_read = :read, changed_at = :changedAt, highlights_at = :highlightsAt, deleted_at = :deletedAt,
     revision = :revision, unfinished = :unfinished WHERE id = :id`,
    {
      id,
      unread: countUnread + plan.counts.unread,
      read: countRead + plan.counts.read,
      changedAt: plan.after.clock.changedAt,
      highlightsAt: plan.after.clock.highlightsAt,
      deletedAt: plan.deletedAt ?? deletedAt,
      revision: plan.after.revision,
      unfinished: JSON.stringify(plan.after.unfinished),
    },
  );
  return { kind: "written", list: { ...list, ...plan.after } };
}
