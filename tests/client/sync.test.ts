// SPDX-License-Identifier: MIT

import {
  type Change,
  type Commit,
  localItems,
  MemoryStore,
  ReadingListClient,
  type Store,
  type SyncedChanges,
} from "@reading-list/client/main.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, describe, expect, test } from "vitest";

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});

const urlOf = (n: number) => `https://example.com/${n}`;
const addition = (n: number): Change => ({ kind: "add", url: urlOf(n) });
const range = (length: number) => Array.from({ length }, (_, n) => n);

/** A client whose calls of an endpoint can be watched: `before` runs before each. */
async function newDevice(before: (endpoint: string, form: URLSearchParams) => unknown = () => {}) {
  const user = await service.newUser();
  const { baseUrl, apiKey } = service;
  const ownFetch: typeof fetch = async (url, init) => {
    await before(String(url).split("/").at(-1) ?? "", init?.body as URLSearchParams);
    return fetch(url, init);
  };
  const client = new ReadingListClient({ baseUrl, apiKey, ...user.credentials, fetch: ownFetch });
  return { user, client };
}

/** A store whose first sync fetches pages of a few items. */
async function pagedStore(count: number, store: Store = new MemoryStore()): Promise<Store> {
  const walk = { count, page: 1, isOver: false };
  await store.commit({ state: { sent: 0, walk } });
  return store;
}

async function syncAll(client: ReadingListClient, store: Store): Promise<SyncedChanges[]> {
  const steps: SyncedChanges[] = [];
  for await (const step of client.sync(store)) steps.push(step);
  return steps;
}

async function expectReplica(store: Store, user: TestUser): Promise<void> {
  const list = await user.items();
  const shown = (await localItems(store)).map((item) => [item.itemId, item.title, item.tags.join(), item.state]);
  expect(shown).toEqual(
    list.map((item) => [item.item_id, item.title, item.tags, item.state === "1" ? "read" : "unread"]),
  );
}

describe("a replica", () => {
  test("gets the list, then additions, changes and deletions, in the order of the list", async () => {
    const { user, client } = await newDevice();
    const store = new MemoryStore();
    await client.send(range(12).map(addition));
    const [first] = await syncAll(client, store);
    expect(first).toMatchObject({ changed: [], deleted: [], rejected: [] });
    expect(first?.added.map(({ url }) => url)).toEqual(range(12).reverse().map(urlOf));
    service.clock.advance(1);
    await user.add(urlOf(12));
    await user.send({ read: [{ url: urlOf(1) }], delete: [{ url: urlOf(2) }] });
    const [{ added, changed, deleted } = { added: [], changed: [], deleted: [] }, ...more] = await syncAll(
      client,
      store,
    );
    expect([added.map(({ url }) => url), changed.map(({ url, state }) => [url, state]), deleted.length, more]).toEqual([
      [urlOf(12)],
      [[urlOf(1), "read"]],
      1,
      [],
    ]);
    await expectReplica(store, user);
    expect(await syncAll(client, store)).toEqual([]);
    expect(await client.verify(store)).toBe("equal");
  });

  test("shows local changes at once, keeps them until the service returns them, and sends them in order", async () => {
    const shownDuringSync: unknown[] = [];
    const { user, client } = await newDevice(async () => shownDuringSync.push((await localItems(store))[0]?.title));
    const store = new MemoryStore();
    await user.add(urlOf(1), { title: "one" });
    await user.add(urlOf(2), { title: "two" });
    await syncAll(client, store);
    shownDuringSync.length = 0;
    await store.enqueue([
      { kind: "read", url: "https://www.example.com/2/" },
      { kind: "delete", url: urlOf(1) },
      { kind: "add", url: urlOf(3), title: "three", tags: ["a"] },
      { kind: "title", url: urlOf(3), title: "drei" },
    ]);
    const before = await localItems(store);
    expect(before.map(({ title, state, isPending }) => [title, state, isPending])).toEqual([
      ["drei", "unread", true],
      ["two", "read", true],
    ]);
    const steps = await syncAll(client, store);
    expect(shownDuringSync).toEqual(["drei", "drei"]);
    expect(steps.flatMap(({ added }) => added.map(({ title }) => title))).toEqual(["drei"]);
    expect((await localItems(store)).map(({ isPending }) => isPending)).toEqual([false, false]);
    expect(await store.queue()).toEqual([]);
    await expectReplica(store, user);
  });

  test("removes a local change that the service refuses, reports the reason, and sends the rest", async () => {
    const { user, client } = await newDevice();
    const store = new MemoryStore();
    await store.enqueue([addition(1), { kind: "add", url: "ftp://example.com/" }, addition(2)]);
    const [{ rejected } = { rejected: [] }] = await syncAll(client, store);
    expect(rejected).toEqual([
      { change: { kind: "add", url: "ftp://example.com/" }, message: expect.stringContaining("not an http(s) URL") },
    ]);
    await expectReplica(store, user);
    expect(await store.items()).toHaveLength(2);
  });
});

test("an unsent local change wins over the change of another device", async () => {
  const { user, client } = await newDevice();
  const store = new MemoryStore();
  await user.add(urlOf(1));
  await user.add(urlOf(2));
  await syncAll(client, store);
  await user.send({ update_title: [{ url: urlOf(1), title: "theirs" }], delete: [{ url: urlOf(2) }] });
  await store.enqueue([
    { kind: "title", url: urlOf(1), title: "ours" },
    { kind: "read", url: urlOf(2) },
  ]);
  await syncAll(client, store);
  expect((await localItems(store)).map(({ title }) => title)).toEqual(["ours"]);
  await expectReplica(store, user);
});

test("a first sync fetches pages, and each page is in the replica before the next is fetched", async () => {
  const stored: number[] = [];
  const { user, client } = await newDevice(async () => stored.push((await store.items()).length));
  const store = await pagedStore(5);
  await client.send(range(12).map(addition));
  stored.length = 0;
  const steps = await syncAll(client, store);
  // The last two are the counts and the changes.
  expect(stored).toEqual([0, 5, 10, 12, 12]);
  expect(steps.map(({ added }) => added.length)).toEqual([5, 5, 2]);
  await expectReplica(store, user);
});

test("a first sync that was interrupted after any commit, or whose commit failed, continues and ends with the list", async () => {
  for (const failAfter of range(4)) {
    let commits = -1;
    class CrashingStore extends MemoryStore {
      override async commit(commit: Commit): Promise<void> {
        if (commits++ === failAfter) throw new Error("crash");
        await super.commit(commit);
      }
    }
    const { user, client } = await newDevice();
    const store = await pagedStore(5, new CrashingStore());
    await client.send(range(12).map(addition));
    await syncAll(client, store).catch((error) => expect(error.message).toBe("crash"));
    service.clock.advance(1);
    await user.send({ delete: [{ url: urlOf(11) }, { url: urlOf(0) }] });
    await syncAll(client, store);
    await expectReplica(store, user);
  }
});

test("an item that moves to an earlier page, because another is deleted during a first sync, is not missed", async () => {
  // Every place of the list, before every page: only some of them make an item slip.
  for (const deletedBefore of ["2", "3"]) {
    for (const place of [0, 4, 5, 9, 11]) {
      const { user, client } = await newDevice(async (endpoint, form) => {
        if (endpoint === "get" && form.get("page") === deletedBefore) {
          await user.send({ delete: [{ url: urlOf(11 - place) }], read: [{ url: urlOf(3) }] });
        }
      });
      await client.send(range(12).map(addition));
      service.clock.advance(1);
      const store = await pagedStore(5);
      await syncAll(client, store);
      await expectReplica(store, user);
      expect(await client.verify(store)).toBe("equal");
    }
  }
});

test("a first sync after another device's, with a deletion in between, needs no second walk", async () => {
  const pages: (string | null)[] = [];
  const { user, client } = await newDevice((endpoint, form) => endpoint === "get" && pages.push(form.get("page")));
  await client.send(range(12).map(addition));
  await syncAll(client, await pagedStore(5));
  service.clock.advance(1);
  await user.send({ delete: [{ url: urlOf(4) }] });
  service.clock.advance(1);
  pages.length = 0;
  const store = await pagedStore(5);
  await syncAll(client, store);
  expect(pages).toEqual(["1", "2", "3", null]);
  await expectReplica(store, user);
});

test("a first sync that takes longer than the service remembers deletions misses no item", async () => {
  const { user, client } = await newDevice();
  await client.send(range(12).map(addition));
  const store = await pagedStore(5);
  for await (const _ of client.sync(store)) break;
  await user.send({ delete: [{ url: urlOf(11) }] });
  service.clock.advance(3 * 3600);
  // Another device's walk makes the service forget the first one.
  await syncAll(client, await pagedStore(5));
  await syncAll(client, store);
  await expectReplica(store, user);
});

test("a replica older than deletions are remembered is replaced", async () => {
  const { user, client } = await newDevice();
  const store = new MemoryStore();
  await client.send(range(3).map(addition));
  await syncAll(client, store);
  await client.delete(urlOf(1));
  service.clock.advance(91 * 86_400);
  const [{ deleted } = { deleted: [] }] = await syncAll(client, store);
  expect(deleted).toHaveLength(1);
  await expectReplica(store, user);
});

test("a since that went back, after a restore of the service, replaces the replica and keeps local changes", async () => {
  const { user, client } = await newDevice();
  const store = new MemoryStore();
  await user.add(urlOf(1));
  await syncAll(client, store);
  const ghost = { ...((await store.items())[0] as Awaited<ReturnType<Store["items"]>>[0]), itemId: "1", url: urlOf(9) };
  const state = await store.state();
  await store.commit({ state: { ...state, since: (state.since ?? 0) + 3600 }, put: [ghost] });
  await store.enqueue([addition(2)]);
  await syncAll(client, store);
  await expectReplica(store, user);
  expect(await store.items()).toHaveLength(2);
});

test("verify detects a replica with a missing or an extra item; the next sync replaces it", async () => {
  const { user, client } = await newDevice();
  const store = new MemoryStore();
  await client.send(range(3).map(addition));
  await syncAll(client, store);
  const [lost] = await store.items();
  await store.commit({ state: await store.state(), remove: [lost?.itemId ?? ""] });
  expect(await client.verify(store)).toBe("different");
  await syncAll(client, store);
  expect(await client.verify(store)).toBe("equal");
  await expectReplica(store, user);
  await user.add(urlOf(8));
  expect(await client.verify(store)).toBe("outdated");
});

test("a response that is too large is fetched by pages, on pages small enough", async () => {
  const tooLarge = "get: the answer is too large for one response; use count and page to fetch the list in parts";
  const user = await service.newUser();
  const { baseUrl, apiKey } = service;
  const ownFetch: typeof fetch = async (url, init) => {
    const form = init?.body as URLSearchParams;
    const count = Number(form.get("count") ?? 1000);
    if (!String(url).endsWith("/get") || count <= 4) return fetch(url, init);
    if (form.get("since")) return fetch(url, init);
    return new Response(tooLarge, {
      status: 400,
      headers: { "x-error": tooLarge, "x-error-code": "answer_too_large" },
    });
  };
  const client = new ReadingListClient({ baseUrl, apiKey, ...user.credentials, fetch: ownFetch });
  await client.send(range(12).map(addition));
  const store = new MemoryStore();
  await syncAll(client, store);
  await expectReplica(store, user);
});

test("sync with follow continues until its signal aborts", async () => {
  const { user, client } = await newDevice();
  const store = new MemoryStore();
  const ending = new AbortController();
  const seen: string[] = [];
  await user.add(urlOf(1));
  const follow = async () => {
    for await (const { added } of client.sync(store, { follow: 0.01, signal: ending.signal })) {
      for (const { url } of added) seen.push(url);
      if (seen.length === 1) await user.add(urlOf(2));
      else ending.abort(new Error("enough"));
    }
  };
  await expect(follow()).rejects.toThrow("enough");
  expect(seen).toEqual([urlOf(1), urlOf(2)]);
});

describe("push", () => {
  test("sends the queue, removes it, and fetches nothing", async () => {
    const calls: string[] = [];
    const { user, client } = await newDevice((endpoint) => calls.push(endpoint));
    const store = new MemoryStore();
    await store.enqueue([addition(1), { kind: "add", url: "ftp://example.com/" }, addition(2)]);
    const refused: string[] = [];
    for await (const { rejected } of client.push(store)) refused.push(...rejected.map(({ change }) => change.url));
    expect(refused).toEqual(["ftp://example.com/"]);
    expect((await user.items()).map(({ url }) => url)).toEqual([urlOf(2), urlOf(1)]);
    expect(await store.queue()).toEqual([]);
    expect(calls).toEqual(["send", "send"]);
  });

  test("leaves the queue as it is when it fails, and a later one sends it", async () => {
    const { user, client } = await newDevice();
    const offline = new ReadingListClient({
      baseUrl: service.baseUrl,
      apiKey: service.apiKey,
      ...user.credentials,
      retries: 0,
      fetch: () => Promise.reject(new TypeError("no connection")),
    });
    const store = new MemoryStore();
    await store.enqueue([addition(1)]);
    await expect(offline.push(store).next()).rejects.toMatchObject({ kind: "noResponse" });
    expect(await store.queue()).toHaveLength(1);
    for await (const _ of client.push(store));
    expect((await user.items()).map(({ url }) => url)).toEqual([urlOf(1)]);
    expect(await store.queue()).toEqual([]);
  });
});

test("a sync that only sends leaves the replica as it is, with the change on top", async () => {
  const { client } = await newDevice();
  const store = new MemoryStore();
  await store.enqueue([{ kind: "add", url: "https://example.com/sent" }]);
  for await (const _ of client.sync(store, { sendOnly: true }));
  expect((await client.get()).items).toHaveLength(1);
  expect(await store.items()).toEqual([]);
  expect(await localItems(store)).toMatchObject([{ url: "https://example.com/sent", isPending: true }]);
  for await (const _ of client.sync(store));
  expect(await localItems(store)).toMatchObject([{ url: "https://example.com/sent", isPending: false }]);
});
