// SPDX-License-Identifier: MIT

import { Database } from "@reading-list/store-sqlite/database.ts";
import { createOperatorStore } from "@reading-list/store-sqlite/operator.ts";
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
