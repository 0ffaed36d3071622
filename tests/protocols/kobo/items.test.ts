// SPDX-License-Identifier: MIT

import type { TestUser } from "@reading-list/testing/client.ts";
import { KoboDevice } from "@reading-list/testing/kobo-device.ts";
import { runs } from "@reading-list/testing/property-runs.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import fc from "fast-check";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";

let service: TestService;
let user: TestUser;
let device: KoboDevice;

beforeAll(async () => {
  service = await startTestService({ PUBLIC_KEY_ADDRESS_LIMIT: "1000000" });
});
beforeEach(async () => {
  service.clock.advance(300);
  user = await service.newUser();
  device = await KoboDevice.of(user);
});

const url = (i: number) => `https://example.com/${i}`;
const pages = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => ({ url: url(from + i) }));
const urlsOf = (items: { given_url: string }[]) => items.map(({ given_url }) => given_url).sort();

describe("items", () => {
  test("have every field that the device reads, with the types that it expects", async () => {
    await user.add(url(1), { title: "Über uns", tags: "a b,starred" });
    const { status, list, total, since } = await device.get();
    expect({ status, total }).toEqual({ status: 1, total: 1 });
    expect(since).toBe(service.clock.seconds());
    const time = service.clock.seconds();
    expect(list).toEqual({
      1: {
        item_id: "1",
        resolved_id: "1",
        given_url: url(1),
        resolved_url: url(1),
        given_title: "Über uns",
        resolved_title: "Über uns",
        excerpt: "",
        favorite: "1",
        status: "0",
        is_article: "1",
        has_image: "0",
        has_video: "0",
        word_count: 0,
        time_added: time,
        time_updated: time,
        time_read: 0,
        authors: {},
        images: {},
        image: {},
        videos: [],
        tags: { "a b": { item_id: "1", tag: "a b" } },
      },
    });
  });

  test("have ids below 2^31, which deleted items keep when they come back", async () => {
    await user.send({ new: pages(0, 3) });
    const idOf = async (i: number) =>
      Object.values((await device.get()).list).find((item) => item.given_url === url(i))?.item_id;
    const id = await idOf(1);
    expect(Number(id)).toBeLessThan(2 ** 31);
    await user.send({ delete: [{ url: url(1) }] });
    await user.send({ new: pages(1, 2) });
    expect(await idOf(1)).toBe(id);
  });

  test("without since are the unread ones, by offset and count as text or numbers, with the number of all", async () => {
    await user.send({ new: pages(0, 7), read: [{ url: url(0) }] });
    const first = await device.get({ count: "4", offset: "0" });
    const second = await device.get({ count: 4, offset: 4 });
    expect([first.total, second.total]).toEqual([6, 6]);
    expect([first, second].map(({ list }) => Object.keys(list).length)).toEqual([4, 2]);
    expect(urlsOf([first, second].flatMap(({ list }) => Object.values(list)))).toEqual([1, 2, 3, 4, 5, 6].map(url));
    for (const since of ["", null, 0]) expect((await device.get({ since })).total).toBe(6);
    expect((await device.get({ offset: "6" })).list).toEqual({});
  });

  test("on the pages of a walk come from page 1, each once, whatever changes meanwhile", async () => {
    await user.send({ new: pages(0, 25) });
    service.clock.advance(100);
    let changes = 0;
    const seen = await device.walk(5, async () => {
      changes++;
      await user.send({ delete: [{ url: url(changes) }], new: [{ url: url(100 + changes) }, { url: url(20) }] });
    });
    const urls = seen.map(({ given_url }) => given_url);
    expect(new Set(urls).size).toBe(urls.length);
    const gone = Array.from({ length: changes }, (_, i) => url(i + 1));
    expect(pages(0, 25).filter((page) => !urls.includes(page.url) && !gone.includes(page.url))).toEqual([]);
  });

  test("with since are all changed ones, archived ones with status 1 and deleted ones with only status 2", async () => {
    await user.send({ new: pages(0, 4) });
    await device.get();
    service.clock.advance(100);
    const { since } = await device.get();
    await user.send({
      read: [{ url: url(0) }],
      delete: [{ url: url(1) }],
      update_title: [{ url: url(2), title: "T" }],
    });
    const { list } = await device.get({ since, count: "1" });
    expect(Object.values(list).map(({ given_url = "", status }) => [given_url, status])).toEqual(
      expect.arrayContaining([
        [url(0), "1"],
        [url(2), "0"],
        ["", "2"],
      ]),
    );
    expect(Object.keys(list)).toHaveLength(3);
    const [deleted] = Object.values(list).filter(({ status }) => status === "2");
    expect(Object.keys(deleted ?? {}).sort()).toEqual(["item_id", "status"]);
    service.clock.advance(100);
    const next = await device.get({ since: (await device.get()).since });
    expect([next.list, next.total]).toEqual([{}, 0]);
  });
});

/** The unread items in the copy of a device. */
const unreadIn = ({ copy }: KoboDevice) =>
  [...copy.values()]
    .filter(({ status }) => status === "0")
    .map(({ given_url, given_title, favorite, tags }) => [given_url, given_title, favorite, Object.keys(tags).join()])
    .sort();

const unreadOf = async () =>
  (await user.items({ state: "unread" }))
    .map(({ url, title, tags = "" }) => {
      const all = tags.split(",").filter(Boolean);
      return [url, title, all.includes("starred") ? "1" : "0", all.filter((tag) => tag !== "starred").join()];
    })
    .sort();

test.each([
  ["the service's since", undefined],
  ["a clock of its own, which is a minute ahead", 59],
])("a device that syncs by %s while others write has the list in the end", async (_, ahead) => {
  const kinds: Record<string, (i: number, n: number) => Record<string, unknown>> = {
    add: (i) => ({ new: [{ url: url(i) }] }),
    delete: (i) => ({ delete: [{ url: url(i) }] }),
    archive: (i) => ({ read: [{ url: url(i) }] }),
    tag: (i, n) => ({ update_tags: [{ url: url(i), tags: n % 2 ? `t${n},starred` : `t${n}` }] }),
    retitle: (i, n) => ({ update_title: [{ url: url(i), title: `T${n}` }] }),
  };
  const write = fc.record({ kind: fc.constantFrom(...Object.keys(kinds)), page: fc.nat(9), seconds: fc.nat(40) });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(write, { maxLength: 4 }), { maxLength: 6 }), async (rounds) => {
      user = await service.newUser();
      device = await KoboDevice.of(user);
      const now = ahead === undefined ? {} : { now: () => Math.floor(service.clock.seconds()) + ahead };
      await user.send({ new: pages(0, 10) });
      for (const [n, writes] of rounds.entries()) {
        const send = async () => {
          for (const { kind, page, seconds } of writes) {
            await user.send(kinds[kind]?.(page, n) ?? {});
            service.clock.advance(seconds / 10);
          }
        };
        await Promise.all([send(), device.sync(now)]);
      }
      await device.sync(now);
      await device.sync(now);
      expect(unreadIn(device)).toEqual(await unreadOf());
    }),
    runs(25),
  );
});

describe("actions", () => {
  test("archive, readd, favorite, unfavorite, delete and add change the list, each with its result", async () => {
    await user.send({ new: pages(0, 5), read: [{ url: url(1) }], update_tags: [{ url: url(3), tags: "a,starred" }] });
    await device.sync();
    const ids = new Map(
      Object.values((await device.get({ since: 1 })).list).map((each) => [each.given_url, each.item_id]),
    );
    const on = (action: string, i: number) => ({ action, item_id: ids.get(url(i)), time: service.clock.seconds() });
    const { status, action_results } = await device.send([
      on("archive", 0),
      on("readd", 1),
      on("favorite", 2),
      on("unfavorite", 3),
      on("delete", 4),
      { action: "add", url: "http://127.0.0.1:1/added", time: 1 },
      on("opened_item", 0),
    ]);
    expect([status, action_results]).toEqual([true, Array(7).fill(true)]);
    const items = await user.items();
    expect(Object.fromEntries(items.map(({ url: page, state, tags }) => [page, [state, tags]]))).toEqual({
      [url(0)]: ["1", ""],
      [url(1)]: ["0", ""],
      [url(2)]: ["0", "starred"],
      [url(3)]: ["0", "a"],
      "http://127.0.0.1:1/added": ["0", ""],
    });
  });

  test("on a deleted item succeed; other impossible actions are false, and do not affect the rest", async () => {
    await user.send({ new: pages(0, 2) });
    const ids = Object.keys((await device.get()).list);
    await user.send({ delete: [{ url: url(0) }] });
    const actions = [
      ...ids.map((item_id) => ({ action: "archive", item_id, time: 1 })),
      { action: "archive", item_id: "999", time: 1 },
      { action: "fly", item_id: ids[0], time: 1 },
      { action: "add", url: "no url" },
      "archive",
      null,
    ];
    expect(await device.send(actions)).toEqual({
      status: false,
      action_results: [true, true, true, false, false, false, false],
    });
    expect((await user.items()).map(({ state }) => state)).toEqual(["1"]);
  });

  test("sent again change nothing", async () => {
    await user.add(url(1));
    const [item_id] = Object.keys((await device.get()).list);
    const actions = [
      { action: "archive", item_id },
      { action: "favorite", item_id },
    ];
    await device.send(actions);
    const before = await user.items();
    service.clock.advance(10);
    expect((await device.send(actions)).status).toBe(true);
    expect(await user.items()).toEqual(before);
  });

  /** Repeats a call that ends at its deadline, as on a busy machine; its completed work stays. */
  const sendUntilDone = async (actions: object[]) => {
    for (;;) {
      const { status, body } = await device.call("api/kobo/send", { actions });
      if (status !== 503) return JSON.parse(body);
    }
  };

  test("of a device that was offline for long are applied, 500 in a call; the rest is false until the next one", async () => {
    await user.send({ new: pages(0, 600) });
    const ids = Object.keys((await device.get({ count: "600" })).list);
    const actions = ids.map((item_id) => ({ action: "archive", item_id, time: 1 }));
    const { action_results } = await sendUntilDone(actions);
    expect(action_results.filter(Boolean)).toHaveLength(500);
    expect((await device.send(actions.slice(500))).status).toBe(true);
    expect((await device.get()).total).toBe(0);
  });

  test("are accepted in a form, too", async () => {
    await user.add(url(1));
    const [item_id] = Object.keys((await device.get()).list);
    const answer = await device.callByForm("api/kobo/send", {
      actions: JSON.stringify([{ action: "archive", item_id }]),
    });
    expect(JSON.parse(answer.body)).toEqual({ status: true, action_results: [true] });
  });
});

describe("a call", () => {
  test.each([
    ["without a token", undefined],
    ["with a token in another form", "a token"],
    ["with the account's password", () => `${user.credentials.username}.${user.credentials.password}`],
    ["with a wrong secret", () => `${user.credentials.username}.${"a".repeat(20)}`],
    ["of nobody", `nobody-at-all.${"a".repeat(20)}`],
  ])("%s is 401 in JSON, and shows no secret", async (_, token) => {
    const access_token = typeof token === "function" ? token() : token;
    for (const path of ["get", "send", "download"]) {
      const { status, body } = await device.call(`api/kobo/${path}`, { access_token, actions: [], url: url(1) });
      expect(status).toBe(401);
      expect(JSON.parse(body)).toEqual({ status: 0, error: expect.any(String) });
      expect(body).not.toContain("aaaa");
    }
  });

  test("of a sign-in that may only read lists and downloads, and sends nothing", async () => {
    const { password } = JSON.parse((await user.ok("app_passwords", { create: "Kobo", scope: "read" })).body);
    const reading = new KoboDevice(user, `${user.credentials.username}.${password}`);
    await user.add(url(1));
    expect((await reading.get()).total).toBe(1);
    expect((await reading.call("api/kobo/download", { url: url(2) })).status).toBe(404);
    expect((await reading.call("api/kobo/send", { actions: [] })).status).toBe(401);
  });

  test("of a device whose sign-in was revoked is 401", async () => {
    const { list } = JSON.parse((await user.ok("app_passwords")).body);
    await user.ok("app_passwords", { revoke: Object.keys(list)[0] ?? "" });
    expect((await device.call("api/kobo/get", {})).status).toBe(401);
  });

  test.each([
    ["get", { since: "yesterday" }, "since"],
    ["get", { count: -1 }, "count"],
    ["send", {}, "actions"],
    ["send", { actions: "[" }, "actions"],
    ["download", {}, "url"],
  ])("of %s with %o is 400, and names the field", async (path, fields, name) => {
    const { status, body } = await device.call(`api/kobo/${path}`, fields);
    expect([status, body]).toEqual([400, expect.stringContaining(name)]);
  });
});
