// SPDX-License-Identifier: MIT

import { type ItemAnswer, itemsInOrder, type TestUser } from "@reading-list/testing/client.ts";
import { withLaggingIndex } from "@reading-list/testing/lagging-index.ts";
import { runs } from "@reading-list/testing/property-runs.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";

let service: TestService;

beforeAll(async () => {
  service = await startTestService({}, { wrapClient: (client) => withLaggingIndex(client, Math.random) });
});

/** The query of a client, and the page whose `since` it stores. */
interface Habit {
  state?: "unread" | "read";
  /** Without it the client fetches all changes at once. */
  count?: number;
  stores?: "last" | "second";
  /** Whether the client passes `deleted=1`. */
  deleted?: 1;
}

/** A client that keeps a replica of the list from the changes that each `get` returns. */
class Replica {
  readonly items = new Map<string, ItemAnswer>();
  readonly #seen = new Set<string>();
  readonly #habit: Habit;
  #since = "";

  constructor(habit: Habit = {}) {
    this.#habit = habit;
  }

  async sync(user: TestUser): Promise<void> {
    const { stores = "last", count, ...query } = this.#habit;
    // A first sync has no deletions, so a later walk from 0 replaces the replica.
    if (Number(this.#since) === 0) this.items.clear();
    let stored: string | undefined;
    for (let page = 1; ; page++) {
      const paging = count === undefined ? {} : { count, page };
      const answer = await user.get({ since: this.#since, tags: 1, ...query, ...paging });
      const items = Object.values(answer.list);
      if (answer.status === "2") expect(items).toEqual([]);
      if (answer.complete) this.items.clear();
      for (const item of items) this.#take(item, count !== undefined);
      for (const id of Object.keys(answer.deleted ?? {})) this.items.delete(id);
      // Real clients stop at a page that is not full.
      const isLast = count === undefined || items.length < count;
      if (isLast || (stores === "second" && page === 2)) stored ??= answer.since;
      if (isLast) break;
    }
    this.#since = stored ?? "";
  }

  #take(item: ItemAnswer, mayRepeat: boolean): void {
    const change = `${item.item_id} at ${item.time_updated}`;
    // Each change arrives once; a client that fetches pages may see one again.
    if (!mayRepeat) expect(this.#seen).not.toContain(change);
    this.#seen.add(change);
    const known = this.items.get(item.item_id);
    if (Number(item.time_updated) >= Number(known?.time_updated ?? 0)) this.items.set(item.item_id, item);
  }
}

const url = fc.integer({ min: 0, max: 5 }).map((i) => `http://example.com/${i}`);
const action = fc.oneof(
  url.map((u) => ({ new: [{ url: u }] })),
  url.map((u) => ({ read: [{ url: u }] })),
  fc.tuple(url, fc.nat(9)).map(([u, n]) => ({ update_title: [{ url: u, title: `t${n}` }] })),
  fc.tuple(url, url).map(([u, v]) => ({ new: [{ url: u }, { url: v }], update_tags: [{ url: v, tags: "x" }] })),
  url.map((u) => ({ delete: [{ url: u }] })),
);
const writer = fc.array(action, { minLength: 1, maxLength: 6 });

/** Syncs during writes, and then twice more; returns the final list. */
async function runInterleaved(user: TestUser, replica: Replica, writers: unknown[][]): Promise<ItemAnswer[]> {
  let writing = true;
  const writes = Promise.all(
    writers.map(async (actions) => {
      for (const changes of actions) expect((await user.send(changes as Record<string, unknown>)).status).toBe(200);
    }),
  ).finally(() => {
    writing = false;
  });
  while (writing) await replica.sync(user);
  await writes;
  await replica.sync(user);
  await replica.sync(user);
  return user.items();
}

const byId = (a: ItemAnswer, b: ItemAnswer) => a.item_id.localeCompare(b.item_id);
const sorted = (items: Iterable<ItemAnswer>) => [...items].sort(byId);
const unreadOf = (items: Iterable<ItemAnswer>) => sorted(items).filter(({ state }) => state === "0");

test("every change reaches a syncing client exactly once during writes, within one frozen second and with a lagging index", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(writer, { minLength: 2, maxLength: 4 }), async (writers) => {
      const user = await service.newUser();
      const replica = new Replica({ deleted: 1 });
      const list = await runInterleaved(user, replica, writers);
      expect(sorted(replica.items.values())).toEqual(sorted(list));
    }),
    runs(12),
  );
});

test("the unread items are exact for a client that does not pass deleted=1", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(writer, { minLength: 2, maxLength: 4 }), async (writers) => {
      const user = await service.newUser();
      const replica = new Replica();
      const list = await runInterleaved(user, replica, writers);
      expect(unreadOf(replica.items.values())).toEqual(unreadOf(list));
    }),
    runs(12),
  );
});

const habits = fc.record({
  count: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 5, max: 100 })),
  stores: fc.constantFrom("last" as const, "second" as const),
  state: fc.constantFrom(undefined, "unread" as const, "read" as const),
});

test("every change reaches a client that fetches page by page during writes, whatever the filter and whichever later page's since it stores", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(writer, { minLength: 2, maxLength: 3 }), habits, async (writers, habit) => {
      const user = await service.newUser();
      const { state, ...paging } = habit;
      const replica = new Replica(state ? { ...paging, state } : { ...paging, deleted: 1 });
      const list = await runInterleaved(user, replica, writers);
      if (!state) expect(sorted(replica.items.values())).toEqual(sorted(list));
      // A filtered sync does not return items that no longer match, so the replica may have more.
      for (const item of list.filter((each) => !state || each.state === (state === "read" ? "1" : "0"))) {
        expect(replica.items.get(item.item_id)).toEqual(item);
      }
    }),
    runs(15),
  );
});

/** A page of a list that never stops changing: a 503, with which the service may answer then, is repeated. */
async function pageOf(user: TestUser, parameters: Record<string, string | number>): Promise<ItemAnswer[]> {
  for (;;) {
    const answer = await user.call("get", parameters);
    if (answer.status !== 503) return itemsInOrder(answer.body);
  }
}

test("a page is full during writes unless the list ends in it", async () => {
  const user = await service.newUser();
  const kept = Array.from({ length: 40 }, (_, i) => ({ url: `http://example.com/kept/${i}` }));
  await user.send({ new: kept });
  let isReading = true;
  const write = async (name: number) => {
    for (let i = 0; isReading; i++) {
      const added = { url: `http://example.com/${name}/${i % 10}` };
      await user.send({
        new: [added, kept[i % 40]],
        ...(i % 3 === 0 && { read: [added] }),
        ...(i % 4 === 0 && { delete: [added] }),
      });
    }
  };
  const writing = [0, 1, 2].map(write);
  try {
    for (const count of [1, 3, 10, 20, 40]) {
      for (const query of [
        {},
        { state: "unread" },
        { myAppOnly: 1 },
        { since: Number(service.clock.seconds()) - 1000 },
      ]) {
        for (const page of [1, 2, Math.floor(40 / count)]) {
          if (page * count <= 40) expect(await pageOf(user, { ...query, count, page })).toHaveLength(count);
        }
      }
    }
  } finally {
    isReading = false;
    await Promise.all(writing);
  }
});

test("a complete list that is read during writes contains every earlier item", async () => {
  const user = await service.newUser();
  const urls = Array.from({ length: 10 }, (_, i) => ({ url: `http://example.com/${i}` }));
  await user.send({ new: urls });
  let reading = true;
  const readings = (async () => {
    while (reading) expect(await user.items()).toHaveLength(10);
  })();
  for (let round = 0; round < 15; round++)
    await user.send(round % 2 ? { new: urls.slice(0, 3) } : { read: urls.slice(2, 6) });
  reading = false;
  await readings;
});
