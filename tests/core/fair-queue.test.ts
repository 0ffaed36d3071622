// SPDX-License-Identifier: MIT

import { FairQueue } from "@reading-list/core/fair-queue.ts";
import { expect, test } from "vitest";

const { signal } = new AbortController();
const settled = () => new Promise(setImmediate);

/** Callers of a queue: each enters, is noted, and leaves when `next` is called. */
function callersOf(queue: FairQueue) {
  const entered: string[] = [];
  const leaves: (() => void)[] = [];
  const refused: string[] = [];
  return {
    entered,
    refused,
    call: (name: string, group?: string, patience = signal) =>
      queue.enter(name[0] ?? "", patience, group).then(
        (leave) => {
          entered.push(name);
          leaves.push(leave);
        },
        () => void refused.push(name),
      ),
    next: async () => {
      leaves.shift()?.();
      await settled();
    },
  };
}

test("callers with different keys enter in turn, callers with the same key in order", async () => {
  const { entered, call, next } = callersOf(new FairQueue({ atOnce: 1 }));
  for (const name of ["a1", "a2", "a3", "b1", "b2", "c1"]) void call(name);
  await settled();
  for (let turn = 0; turn < 6; turn++) await next();
  expect(entered).toEqual(["a1", "c1", "b1", "a2", "b2", "a3"]);
});

test("newcomers enter before all callers whose keys had a turn, the newest first", async () => {
  const { entered, call, next } = callersOf(new FairQueue({ atOnce: 1 }));
  for (const name of ["a1", "b1", "c1"]) void call(name);
  await settled();
  for (let turn = 0; turn < 3; turn++) await next();
  for (const name of ["x1", "c2", "a2", "b2", "d1", "e1"]) void call(name);
  await settled();
  for (let turn = 0; turn < 5; turn++) await next();
  expect(entered).toEqual(["a1", "c1", "b1", "x1", "e1", "d1", "a2", "c2", "b2"]);
});

test("as many enter at once as there are places", async () => {
  const { entered, call, next } = callersOf(new FairQueue({ atOnce: 2 }));
  for (const name of ["a1", "a2", "a3"]) void call(name);
  await settled();
  expect(entered).toEqual(["a1", "a2"]);
  await next();
  expect(entered).toEqual(["a1", "a2", "a3"]);
});

test("a group has a share of the places, even while others are free", async () => {
  const { entered, call, next } = callersOf(new FairQueue({ atOnce: 2, ofGroup: 1 }));
  for (const name of ["a1", "b1"]) void call(name, "one address");
  void call("c1", "another");
  await settled();
  expect(entered).toEqual(["a1", "c1"]);
  await next();
  expect(entered).toEqual(["a1", "c1", "b1"]);
});

test("if too many wait, the longest line loses its last caller, and the others keep their places", async () => {
  const { entered, refused, call, next } = callersOf(new FairQueue({ atOnce: 1, waiting: 3 }));
  for (const name of ["a1", "a2", "a3", "a4", "b1"]) void call(name);
  await settled();
  expect(refused).toEqual(["a4"]);
  for (let turn = 0; turn < 4; turn++) await next();
  expect(entered).toEqual(["a1", "b1", "a2", "a3"]);
});

test("a caller that gives up leaves its line, and takes no place", async () => {
  const { entered, refused, call, next } = callersOf(new FairQueue({ atOnce: 1 }));
  const patience = new AbortController();
  void call("a1");
  void call("b1", "b", patience.signal);
  void call("c1");
  await settled();
  patience.abort();
  await settled();
  expect(refused).toEqual(["b1"]);
  await next();
  await next();
  void call("d1");
  await settled();
  expect(entered).toEqual(["a1", "c1", "d1"]);
});

test("a place that becomes free in the turn in which a caller gives up goes to the next one", async () => {
  const queue = new FairQueue({ atOnce: 1 });
  const patience = new AbortController();
  const leave = await queue.enter("a", signal);
  const late = queue.enter("b", patience.signal);
  patience.abort(new Error("too late"));
  leave();
  await expect(late).rejects.toThrow("too late");
  expect(queue.load()).toEqual({ running: 0, waiting: 0 });
  (await queue.enter("c", signal))();
});

test("a caller that gives up in the turn in which it enters has its place, and leaves it", async () => {
  const queue = new FairQueue({ atOnce: 1 });
  const patience = new AbortController();
  const leave = await queue.enter("a", signal);
  const entered = queue.enter("b", patience.signal);
  leave();
  patience.abort();
  (await entered)();
  expect(queue.load()).toEqual({ running: 0, waiting: 0 });
});

test("callers above the limit that come in one turn are all refused, and a place that becomes free then is not lost", async () => {
  const { entered, refused, call, next } = callersOf(new FairQueue({ atOnce: 1, waiting: 1 }));
  void call("a1");
  await settled();
  for (const name of ["b1", "c1", "d1"]) void call(name);
  await next();
  expect(refused).toEqual(["b1", "c1"]);
  expect(entered).toEqual(["a1", "d1"]);
});

test("work that fails gives its place back", async () => {
  const queue = new FairQueue({ atOnce: 1 });
  await expect(queue.run("a", signal, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await queue.run("b", signal, async () => "done")).toBe("done");
});
