// SPDX-License-Identifier: MIT

import { Database, writeInsert } from "@reading-list/store-sqlite/database.ts";
import { createOperatorStore } from "@reading-list/store-sqlite/operator.ts";
import { createStore } from "@reading-list/store-sqlite/store.ts";
import { countTurns, makeStepsLong } from "@reading-list/testing/count-turns.ts";
import { expect, test, vi } from "vitest";

test("a walk over a list reads each page from the index: it is not sorted, which would take quadratic time", async () => {
  const database = Database.open(":memory:");
  const tuples = vi.spyOn(database, "tuples");
  for await (const _ of createOperatorStore(database).walkItems("ann"));
  const [sql, parameters] = tuples.mock.calls[0] ?? [""];
  const plan = database.all(`EXPLAIN QUERY PLAN ${sql}`, parameters).map(({ detail }) => detail);
  expect(plan).toContainEqual(expect.stringContaining("MERGE"));
  expect(plan).not.toContainEqual(expect.stringContaining("TEMP B-TREE"));
});

test("long highlights of several items are read, and many items are numbered, in turns of the event loop", async () => {
  const database = Database.open(":memory:");
  const { highlights, items } = createStore(database, { user: 1, key: 1 });
  database.run(
    "INSERT INTO users (id, username, user_id, password_hash, user_since) VALUES (1, 'ann', 'a', 'hash', 0)",
  );
  const ids = Array.from({ length: 200 }, (_, i) => String(i + 1));
  for (const id of ids) {
    const values = {
      user: 1,
      item_id: Number(id),
      kind: 0,
      time_updated: 0,
      change: 0,
      time_added: 0,
      application: "a",
      url: id,
    };
    database.run(writeInsert("items", values), values);
  }
  const user = { username: "ann", userId: "a" };
  makeStepsLong();
  const read = await countTurns(async () => {
    for (const id of ids.slice(0, 5)) for await (const _ of highlights.walkItem(user, id));
  });
  expect(read.turns).toBeGreaterThanOrEqual(4);
  const { result, turns } = await countTurns(() => items.assignNumbers(user, ids));
  expect([...result.values()]).toEqual(ids.map(Number));
  expect(turns).toBeGreaterThanOrEqual(3);
});
