import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { withLaggingIndex } from "../lagging-index.ts";
import { type ItemAnswer, startTestService, type TestService, type TestUser } from "../service.ts";

let service: TestService;

beforeAll(async () => {
  service = await startTestService({}, { wrapClient: (client) => withLaggingIndex(client, Math.random) });
});

/** A client that keeps a copy of the list, from the changes that each `get` brings. */
class Replica {
  readonly items = new Map<string, ItemAnswer>();
  readonly seen = new Set<string>();
  private since = "";

  async sync(user: TestUser, pageSize?: number): Promise<void> {
    let stored = "";
    for (let page = 1; ; page++) {
      const paging = pageSize === undefined ? {} : { count: pageSize, page };
      const { status, since, list } = await user.get({ since: this.since, tags: 1, ...paging });
      const items = Object.values(list);
      if (status === "2") expect(items).toEqual([]);
      for (const item of items) {
        const change = `${item.item_id} at ${item.time_updated}`;
        // Each change arrives once; a client that walks pages may see one again.
        if (pageSize === undefined) expect(this.seen).not.toContain(change);
        this.seen.add(change);
        const known = this.items.get(item.item_id);
        if (Number(item.time_updated) >= Number(known?.time_updated ?? 0)) this.items.set(item.item_id, item);
      }
      stored = since;
      if (pageSize === undefined || items.length === 0) break;
    }
    this.since = stored;
  }
}

const url = fc.integer({ min: 0, max: 5 }).map((i) => `http://example.com/${i}`);
const action = fc.oneof(
  url.map((u) => ({ new: [{ url: u }] })),
  url.map((u) => ({ read: [{ url: u }] })),
  fc.tuple(url, fc.nat(9)).map(([u, n]) => ({ update_title: [{ url: u, title: `t${n}` }] })),
  fc.tuple(url, url).map(([u, v]) => ({ new: [{ url: u }, { url: v }], update_tags: [{ url: v, tags: "x" }] })),
);
const writer = fc.array(action, { minLength: 1, maxLength: 6 });

async function runInterleaved(
  user: TestUser,
  replica: Replica,
  writers: unknown[][],
  pageSize?: number,
): Promise<void> {
  let writing = true;
  const writes = Promise.all(
    writers.map(async (actions) => {
      for (const changes of actions) expect((await user.send(changes as Record<string, unknown>)).status).toBe(200);
    }),
  ).finally(() => {
    writing = false;
  });
  while (writing) await replica.sync(user, pageSize);
  await writes;
  await replica.sync(user, pageSize);
  await replica.sync(user, pageSize);
  const list = await user.items();
  expect([...replica.items.values()].sort(byId)).toEqual([...list].sort(byId));
}

const byId = (a: ItemAnswer, b: ItemAnswer) => a.item_id.localeCompare(b.item_id);

test("every change arrives exactly once at a client that syncs while others write, under one frozen second and a lagging index", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(writer, { minLength: 2, maxLength: 4 }), async (writers) => {
      const user = await service.newUser();
      await runInterleaved(user, new Replica(), writers);
    }),
    { numRuns: 15 },
  );
});

test("every change arrives at a client that walks pages while others write", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(writer, { minLength: 2, maxLength: 3 }),
      fc.integer({ min: 1, max: 3 }),
      async (writers, size) => {
        const user = await service.newUser();
        await runInterleaved(user, new Replica(), writers, size);
      },
    ),
    { numRuns: 10 },
  );
});

test("a full list read while others write holds every item that was there before", async () => {
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
