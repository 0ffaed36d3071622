// SPDX-License-Identifier: MIT

import type { Item } from "@reading-list/core/domain/item.ts";
import { type ListQuery, sortItems } from "@reading-list/core/domain/list-query.ts";
import { doInTurns, inTurns, sortInTurns, writeInTurns } from "@reading-list/core/domain/turns.ts";
import { countTags } from "@reading-list/core/use-cases/lists/count-tags.ts";
import { browseList } from "@reading-list/core/use-cases/lists/query-list.ts";
import type { Caller } from "@reading-list/core/use-cases/use-case.ts";
import { writeJsonList } from "@reading-list/protocols/json-list.ts";
import { countTurns, makeStepsLong } from "@reading-list/testing/count-turns.ts";
import * as fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";

const count = 3000;
/** Turns that so many values take at least, at 500 in a turn. */
const leastTurns = count / 500 - 1;

const itemAt = (i: number, tags = `tag${i}`) =>
  ({
    itemId: String(1e15 + ((i * 7919) % count)),
    url: `https://s${i % 50}.example.com/${i}`,
    title: `Title ${i % 90}`,
    tags,
    state: i % 2 ? "1" : "0",
    timeAdded: i % 200,
    timeUpdated: i,
    changeKey: String(1e9 + i),
    isDeleted: false,
  }) as Item;
const items = Array.from({ length: count }, (_, i) => itemAt(i));
const depsOf = (list: readonly Item[]) =>
  ({
    wholeLists: {
      read: async () => ({ items: new Map(list.map((item) => [item.itemId, item])), asOf: 1, revision: 1 }),
    },
  }) as never;
const caller = { user: { clock: { changedAt: 1 } } } as Caller;
const query: ListQuery = { sort: { by: "title", descending: false }, offset: 0, limit: 10 };

async function written<T>(values: readonly T[], show: (value: T) => unknown): Promise<string> {
  let text = "";
  for await (const part of writeJsonList(values, show)) text += part;
  return text;
}

describe("work on a long list is done in turns of the event loop", () => {
  const works: Record<string, () => Promise<unknown>> = {
    "a search": () => browseList.begin(depsOf(items), { ...query, search: "title none" })(caller),
    "an order": () => sortItems(items, { by: "site", descending: true }),
    "the tags": () => countTags.begin(depsOf(items), {})(caller),
  };
  test.each(Object.entries(works))("%s", async (_, work) => {
    expect((await countTurns(work)).turns).toBeGreaterThanOrEqual(leastTurns);
  });
});

test("values whose texts take long to write are written in a turn each, and short ones together", async () => {
  const texts = ["a", "b", "c"];
  expect((await countTurns(() => written(texts, String))).turns).toBeLessThan(texts.length);
  makeStepsLong();
  const { result, turns } = await countTurns(() => written(texts, String));
  expect(turns).toBeGreaterThanOrEqual(texts.length);
  expect(result).toBe('["a","b","c"]');
});

test("calls whose work runs at once share the time of a turn", async () => {
  const stepsOfTurn = new Map<number, number>();
  await new Promise(setImmediate);
  let [now, turn] = [0, 0];
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
  onTestFinished(() => clock.mockRestore());
  const next = () => {
    turn++;
    pending = setImmediate(next);
  };
  let pending = setImmediate(next);
  onTestFinished(() => clearImmediate(pending));
  function* work() {
    for (let step = 0; step < 12; step++) {
      now += 4;
      stepsOfTurn.set(turn, (stepsOfTurn.get(turn) ?? 0) + 1);
      yield;
    }
  }
  await Promise.all([1, 2, 3].map(() => doInTurns(work())));
  // Three steps of 4 ms, and the first step of each other call.
  expect(Math.max(...stepsOfTurn.values())).toBeLessThanOrEqual(5);
});

test("long texts are passed on in parts whose bytes are soon counted", async () => {
  const text = "a".repeat(100_000);
  for await (const part of writeInTurns(Array(10).fill(text), ",", String)) expect(part.length).toBeLessThan(310_000);
});

test("a list that is sorted in turns has the order of its keys, then of its ids", async () => {
  const sorted = await sortItems(items, { by: "added", descending: true });
  const inOneTurn = items.toSorted((a, b) => b.timeAdded - a.timeAdded || (a.itemId < b.itemId ? 1 : -1));
  expect(sorted.map(({ itemId }) => itemId)).toEqual(inOneTurn.map(({ itemId }) => itemId));
});

test("values are sorted in turns as in one, equal ones in their order", async () => {
  const values = fc.array(fc.nat(50), { maxLength: 4000, size: "max" });
  await fc.assert(
    fc.asyncProperty(values, async (keys) => {
      const keyed = keys.map((key, place) => ({ key, place }));
      const compare = (one: { key: number }, other: { key: number }) => one.key - other.key;
      expect(await sortInTurns(keyed, compare)).toEqual(keyed.toSorted(compare));
    }),
    { numRuns: 20 },
  );
  for await (const part of inTurns([])) expect(part).toBe("absent");
});

test("tags are in alphabetical order, with numbers by their value", async () => {
  const tagged = ["b10,Åre", "b9,a", "A,b10"].map((tags, i) => itemAt(i, tags));
  const counts = await countTags.begin(depsOf(tagged), {})(caller);
  expect([...counts].join(" ")).toBe("a,1 A,1 Åre,1 b9,1 b10,2");
});

test("counting all tags refuses a list with more than 100,000 different tags", async () => {
  const tagged = Array.from({ length: 1100 }, (_, i) =>
    itemAt(i, Array.from({ length: 100 }, (_, k) => `${i}-${k}`).join(",")),
  );
  await expect(countTags.begin(depsOf(tagged), {})(caller)).rejects.toMatchObject({ code: "answer_too_large" });
});

test("a text in a JSON list is written as JSON.stringify does, and an empty list is []", async () => {
  const texts = ['"', "é\u2028", "\ud800"];
  expect(await written(texts, (text) => ({ text }))).toBe(JSON.stringify(texts.map((text) => ({ text }))));
  expect(await written([], String)).toBe("[]");
});
