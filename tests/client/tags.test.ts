// SPDX-License-Identifier: MIT

import { changeTags, invertChange } from "@reading-list/client/change.ts";
import {
  type Change,
  localItems,
  MemoryStore,
  ReadingListClient,
  type Store,
  type SyncedChanges,
} from "@reading-list/client/main.ts";
import { enqueueUndoable } from "@reading-list/client/undo.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { runs } from "@reading-list/testing/property-runs.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});

const urlOf = (n: number) => `https://example.com/${n}`;
const url = urlOf(0);

/** The network of a service without support for tag differences: it ignores them, and does not name what it has applied. */
const olderService: typeof fetch = async (address, init) => {
  const body = new URLSearchParams(init?.body as URLSearchParams);
  for (const name of ["add_tags", "remove_tags"]) body.delete(name);
  const response = await fetch(address, { ...init, body });
  const headers = new Headers(response.headers);
  headers.delete("x-applied");
  return new Response(await response.text(), { status: response.status, headers });
};

/** A store as an earlier version of the client reads it: a change of tags is a whole set. */
const asFormerly = (store: Store): Store => ({
  state: () => store.state(),
  items: (ids) => store.items(ids),
  enqueue: (changes) => store.enqueue(changes),
  commit: (step) => store.commit(step),
  queue: async () =>
    (await store.queue()).map((queued) => {
      const { change } = queued;
      return change.kind === "tags"
        ? { ...queued, change: { kind: "tags", url: change.url, tags: change.tags } }
        : queued;
    }),
});

class Device {
  readonly store = new MemoryStore();
  readonly calls: string[] = [];
  readonly #user: TestUser;

  constructor(user: TestUser) {
    this.#user = user;
  }

  client(network: typeof fetch = fetch): ReadingListClient {
    const { baseUrl, apiKey } = service;
    const counted: typeof fetch = (address, init) => {
      this.calls.push(String(address).split("/").at(-1) ?? "");
      return network(address, init);
    };
    return new ReadingListClient({ baseUrl, apiKey, ...this.#user.credentials, fetch: counted });
  }

  async sync(network?: typeof fetch, store: Store = this.store): Promise<SyncedChanges[]> {
    service.clock.advance(1);
    const steps: SyncedChanges[] = [];
    for await (const step of this.client(network).sync(store)) steps.push(step);
    return steps;
  }

  /** The tags that it shows; undefined for a page that it does not have. */
  async tags(page = url): Promise<string[] | undefined> {
    return (await localItems(this.store)).find((item) => item.url === page)?.tags;
  }

  /** Changes the tags of a page, as a person does who sees them. */
  async edit(edit: (tags: string[]) => string[], page = url): Promise<Change[]> {
    const tags = (await this.tags(page)) ?? [];
    const changes = changeTags({ url: page, tags }, edit(tags));
    await this.store.enqueue(changes);
    return changes;
  }
}

async function newDevice(tags = "even"): Promise<{ user: TestUser; device: Device }> {
  const user = await service.newUser();
  await user.add(url, { tags });
  const device = new Device(user);
  await device.sync();
  return { user, device };
}
const tagsOf = async (user: TestUser) => (await user.items())[0]?.tags;
const add =
  (...tags: string[]) =>
  (before: string[]) => [...before, ...tags];
const remove =
  (...tags: string[]) =>
  (before: string[]) =>
    before.filter((tag) => !tags.includes(tag));

test("a tag that is set offline does not remove tags that another device has added meanwhile", async () => {
  const { user, device } = await newDevice("even,old");
  await device.edit(add("starred"));
  await device.edit(remove("old"));
  expect(await device.tags()).toEqual(["even", "starred"]);
  await user.send({ update_tags: [{ url, tags: "even,old,work" }] });
  device.calls.length = 0;
  await device.sync();
  expect(await tagsOf(user)).toBe("even,work,starred");
  expect(await device.tags()).toEqual(["even", "work", "starred"]);
  expect(device.calls).toEqual(["send", "get"]);
});

test("changes of the tags of one page go by one request, whatever their order", async () => {
  const { user, device } = await newDevice();
  for (const edit of [add("a"), remove("a"), add("b", "a"), remove("b", "even"), add("even", "c"), remove("c")]) {
    await device.edit(edit);
  }
  device.calls.length = 0;
  await device.sync();
  expect(device.calls.filter((name) => name === "send")).toHaveLength(1);
  expect((await tagsOf(user))?.split(",").sort()).toEqual(["a", "even"]);
});

test("undo reverts the effect of a change on the tags, and nothing else", async () => {
  const { user, device } = await newDevice("even,old");
  const item = (await localItems(device.store))[0];
  const [change] = changeTags({ url, tags: ["even", "old"] }, ["even", "new"]) as [Change];
  const undo = await enqueueUndoable(device.store, [change], (each) => invertChange(each, item));
  await device.sync();
  await user.send({ add_tags: [{ url, tags: "work" }] });
  await undo();
  await device.sync();
  expect(await tagsOf(user)).toBe("even,work,old");
});

test("undo of archiving leaves tags and title as they are", async () => {
  const { user, device } = await newDevice();
  const item = (await localItems(device.store))[0];
  const undo = await enqueueUndoable(device.store, [{ kind: "read", url }], (each) => invertChange(each, item));
  await device.sync();
  await user.send({ update_tags: [{ url, tags: "even,work" }], update_title: [{ url, title: "Theirs" }] });
  await undo();
  await device.sync();
  expect(await user.items()).toMatchObject([{ tags: "even,work", title: "Theirs", state: "0" }]);
});

test("a change whose tags would be too long is set aside, and the rest is sent", async () => {
  const { user, device } = await newDevice();
  const long = Array.from({ length: 99 }, (_, i) => `tag ${i} `.padEnd(9, "x")).join();
  await user.send({ update_tags: [{ url, tags: long }] });
  await device.edit(add("a tag without room"));
  await device.store.enqueue([{ kind: "add", url: urlOf(1) }, ...changeTags({ url: urlOf(1), tags: [] }, ["x"])]);
  const steps = await device.sync();
  expect(steps.flatMap(({ rejected }) => rejected)).toEqual([
    {
      change: expect.objectContaining({ kind: "tags", url, add: ["a tag without room"] }),
      message: "send: add_tags.0.tags: the tags of a page must be at most 1000 characters together",
    },
  ]);
  expect((await user.items()).map(({ tags }) => tags)).toEqual(["x", long]);
  expect(await device.store.queue()).toEqual([]);
});

test("a queue with more tags than a request takes is sent in several", async () => {
  const user = await service.newUser();
  const device = new Device(user);
  const tags = Array.from({ length: 250 }, (_, i) => String(i));
  await device
    .client()
    .send(Array.from({ length: 600 }, (_, i) => ({ kind: "tags", url: urlOf(i % 3), tags, add: tags, remove: [] })));
  expect(device.calls).toEqual(["send", "send", "send"]);
});

describe("a service that ignores differences of tags", () => {
  test("gets whole sets, computed from the current tags of the pages", async () => {
    const { user, device } = await newDevice("even,old");
    await device.edit(add("starred"));
    await device.edit(remove("old"));
    await device.store.enqueue([{ kind: "add", url: urlOf(1) }, ...changeTags({ url: urlOf(1), tags: [] }, ["x"])]);
    await user.send({
      update_tags: [{ url, tags: "even,old,work" }],
      new: [{ url: urlOf(1), tags: "theirs" }],
    });
    await device.sync(olderService);
    expect((await user.items()).map(({ tags }) => tags).sort()).toEqual(["even,work,starred", "theirs,x"]);
    expect(await device.store.queue()).toEqual([]);
  });

  test("keeps a change in the queue until it has the whole set", async () => {
    const { user, device } = await newDevice();
    await device.edit(add("starred"));
    const cut: typeof fetch = (address, init) => {
      const isSecond = String(init?.body).includes("update_tags");
      return isSecond ? Promise.reject(new TypeError("no connection")) : olderService(address, init);
    };
    const { baseUrl, apiKey } = service;
    const client = new ReadingListClient({ baseUrl, apiKey, ...user.credentials, fetch: cut, retries: 0 });
    await expect(client.sync(device.store).next()).rejects.toMatchObject({ kind: "noResponse" });
    expect(await device.tags()).toEqual(["even", "starred"]);
    await device.sync(olderService);
    expect(await tagsOf(user)).toBe("even,starred");
  });

  test.each([1, 30])("gets whole sets from send and push, which have no copy, of %i pages", async (count) => {
    const user = await service.newUser();
    const pages = Array.from({ length: count }, (_, i) => urlOf(i));
    await user.send({ new: pages.map((page) => ({ url: page, tags: "theirs" })) });
    const device = new Device(user);
    const changes = (tag: string) => pages.flatMap((page) => changeTags({ url: page, tags: [] }, [tag]));
    await device.client(olderService).send(changes("sent"));
    await device.store.enqueue(changes("pushed"));
    for await (const _ of device.client(olderService).push(device.store));
    expect(new Set((await user.items()).map(({ tags }) => tags))).toEqual(new Set(["theirs,sent,pushed"]));
    expect(await device.store.queue()).toEqual([]);
    expect(device.calls.length).toBeLessThan(8);
  });
});

test("an earlier version that shares the queue sends the whole set of a difference", async () => {
  const { user, device } = await newDevice();
  await device.edit(add("starred"));
  expect(await device.store.queue()).toMatchObject([
    { change: { kind: "tags", url, tags: ["even", "starred"], add: ["starred"], remove: [] } },
  ]);
  await device.sync(fetch, asFormerly(device.store));
  expect(await tagsOf(user)).toBe("even,starred");
  expect(await device.store.queue()).toEqual([]);
});

const tag = fc.constantFrom("a", "b", "c", "d", "e");
const page = fc.nat(2);
const step = fc.oneof(
  fc.record({
    do: fc.constant("edit" as const),
    isFormer: fc.boolean(),
    page,
    add: fc.array(tag, { maxLength: 2 }),
    remove: fc.array(tag, { maxLength: 2 }),
  }),
  fc.record({ do: fc.constant("save" as const), isFormer: fc.boolean(), page, tags: fc.array(tag, { maxLength: 2 }) }),
  fc.record({
    do: fc.constant("sync" as const),
    device: fc.constantFrom("new", "former", "new beside former", "new to older service"),
  }),
);

/** The queue of a device: a difference, or instead of it a whole set. */
interface Edit {
  page: string;
  add: readonly string[];
  remove: readonly string[];
  /** All tags that the device showed then; for an addition, only the non-empty ones. */
  set: readonly string[] | undefined;
  isAddition: boolean;
}

test("two offline devices edit tags: the new version sends the union of the additions minus the removals, whatever an earlier version sends", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      const user = await service.newUser();
      await user.send({ new: [{ url: urlOf(0), tags: "a,b" }, { url: urlOf(1) }] });
      const list = new Map<string, readonly string[]>([
        [urlOf(0), ["a", "b"]],
        [urlOf(1), []],
      ]);
      const devices = [new Device(user), new Device(user)] as const;
      const queues: [Edit[], Edit[]] = [[], []];
      for (const device of devices) await device.sync();

      const apply = (edits: Edit[], bySets: boolean) => {
        for (const { page, add, remove, set, isAddition } of edits.splice(0)) {
          const before = list.get(page);
          if (!before && !isAddition) continue;
          const difference = [...new Set([...(before ?? []).filter((tag) => !remove.includes(tag)), ...add])];
          list.set(page, bySets && set ? set : difference);
        }
      };
      const sync = async (which: Extract<(typeof steps)[number], { do: "sync" }>["device"]) => {
        const place = which === "former" ? 1 : 0;
        const { store } = devices[place];
        const isFormer = which === "former" || which === "new beside former";
        await devices[place].sync(
          which === "new to older service" ? olderService : fetch,
          isFormer ? asFormerly(store) : store,
        );
        apply(queues[place], isFormer);
        const shown = (await user.items()).map(({ url, tags = "" }) => [url, tags.split(",").filter(Boolean).sort()]);
        expect(Object.fromEntries(shown)).toEqual(
          Object.fromEntries([...list].map(([url, tags]) => [url, [...tags].sort()])),
        );
      };
      for (const each of steps) {
        if (each.do === "sync") {
          await sync(each.device);
          continue;
        }
        const place = each.isFormer ? 1 : 0;
        const page = urlOf(each.page);
        const before = await devices[place].tags(page);
        const { store } = devices[place];
        if (each.do === "save") {
          const tags = [...new Set(each.tags)];
          const addition: Change = { kind: "add", url: page };
          const isSet = each.isFormer && tags.length > 0;
          const changes = each.isFormer
            ? [{ ...addition, ...(isSet && { tags }) }]
            : [addition, ...changeTags({ url: page, tags: [] }, tags)];
          await store.enqueue(changes);
          // The addition keeps all tags, and an earlier version sends those of this device as a set of its own.
          queues[place].push({
            page,
            add: isSet ? tags : [],
            remove: [],
            set: isSet ? tags : undefined,
            isAddition: true,
          });
          if (!each.isFormer && tags.length > 0)
            queues[place].push({ page, add: tags, remove: [], set: tags, isAddition: false });
        } else if (before) {
          const after = [
            ...new Set([...before.filter((tag) => !each.remove.some((other) => other === tag)), ...each.add]),
          ];
          const [change] = changeTags({ url: page, tags: before }, after);
          if (!change) continue;
          const { add = [], remove = [] } = change;
          await store.enqueue([each.isFormer ? { kind: "tags", url: page, tags: after } : change]);
          queues[place].push({ page, add, remove, set: after, isAddition: false });
        }
      }
      for (const which of ["new", "former", "new", "former"] as const) await sync(which);
      for (const device of devices) {
        for (const [page, tags] of list) expect((await device.tags(page))?.sort()).toEqual([...tags].sort());
      }
    }),
    runs(25),
  );
});
