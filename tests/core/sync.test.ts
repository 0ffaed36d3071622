// SPDX-License-Identifier: MIT

import { toItemId } from "@reading-list/core/domain/item-id.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";

let service: TestService;
let user: TestUser;

beforeAll(async () => {
  service = await startTestService();
});
beforeEach(async () => {
  user = await service.newUser();
});

const url = (i: number) => `http://example.com/${i}`;
const urlsOf = (items: { url: string }[]) => items.map((item) => item.url);

/** A list of `count` items, one a second; item 0 is the oldest. */
async function fill(count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    await user.add(url(i));
    service.clock.advance(1);
  }
}

describe("get", () => {
  test("returns the list by time_updated, newest first", async () => {
    await fill(4);
    await user.send({ read: [{ url: url(1) }] });
    expect(urlsOf(await user.items())).toEqual([url(1), url(3), url(2), url(0)]);
  });

  test("returns only unread or only read items", async () => {
    await fill(4);
    await user.send({ read: [{ url: url(1) }, { url: url(2) }] });
    expect(urlsOf(await user.items({ state: "unread" }))).toEqual([url(3), url(0)]);
    expect(urlsOf(await user.items({ state: "read" })).sort()).toEqual([url(1), url(2)]);
    expect(await user.items({ state: "" })).toHaveLength(4);
  });

  test("with myAppOnly=1 returns the items first saved through the calling application", async () => {
    const apikey = await service.newApiKey();
    await fill(3);
    await user.add(url(10), { apikey });
    expect(urlsOf(await user.items({ myAppOnly: 1, apikey }))).toEqual([url(10)]);
    expect(urlsOf(await user.items({ myAppOnly: 1, apikey, count: 5 }))).toEqual([url(10)]);
    expect(urlsOf(await user.items({ myAppOnly: 1 }))).toEqual([url(2), url(1), url(0)]);
    expect(urlsOf(await user.items({ myAppOnly: 1, count: 2, page: 2 }))).toEqual([url(0)]);
    expect(await user.items({ myAppOnly: 0 })).toHaveLength(4);
  });

  test("with count and page returns that page, from 1; page without count is ignored", async () => {
    await fill(5);
    expect(urlsOf(await user.items({ count: 2 }))).toEqual([url(4), url(3)]);
    expect(urlsOf(await user.items({ count: 2, page: 1 }))).toEqual([url(4), url(3)]);
    expect(urlsOf(await user.items({ count: 2, page: 3 }))).toEqual([url(0)]);
    expect(await user.get({ count: 2, page: 4 })).toMatchObject({ status: "1", list: {} });
    expect(await user.items({ page: 3 })).toHaveLength(5);
    expect(await user.items({ count: 1_000_000_000 })).toHaveLength(5);
    for (const myAppOnly of [0, 1]) {
      expect(await user.items({ count: "9".repeat(20), page: "9".repeat(20), myAppOnly })).toEqual([]);
    }
  });

  test("pages over items of both states", async () => {
    await fill(6);
    await user.send({ read: [{ url: url(5) }] });
    service.clock.advance(1);
    await user.send({ read: [{ url: url(1) }] });
    const pages = [];
    for (let page = 1; page <= 4; page++) pages.push(...urlsOf(await user.items({ count: 2, page })));
    expect(pages).toEqual([url(1), url(5), url(4), url(3), url(2), url(0)]);
  });

  test("returns items of one request or of one second in reverse order of addition", async () => {
    await user.send({ new: [0, 1, 2, 3].map((i) => ({ url: url(i) })) });
    for (const i of [4, 5, 6]) await user.add(url(i));
    await user.send({ new: [7, 8, 7].map((i) => ({ url: url(i) })), update_tags: [{ url: url(8), tags: "a" }] });
    const order = [7, 8, 6, 5, 4, 3, 2, 1, 0].map(url);
    expect(urlsOf(await user.items())).toEqual(order);
    expect(urlsOf(await user.items({ state: "unread", count: 5 }))).toEqual(order.slice(0, 5));
    expect(urlsOf(await user.items({ count: 4, page: 2 }))).toEqual(order.slice(4, 8));
  });

  test("returns complete if and only if the response is the whole list", async () => {
    expect(await user.get()).toMatchObject({ complete: "1", list: {} });
    await fill(3);
    const { since } = await user.get();
    for (const whole of [
      {},
      { since: "" },
      { since: 0 },
      { count: 3 },
      { count: 5, page: 1 },
      { since: 5 },
      { tags: 1 },
    ]) {
      expect(await user.get(whole)).toMatchObject({ complete: "1" });
    }
    const parts = [{ since }, { since: Number(since) - 2 }, { state: "unread" }, { myAppOnly: 1 }, { count: 2 }];
    for (const part of [...parts, { count: 2, page: 2 }, { count: 9, page: 2 }]) {
      expect(await user.get(part)).not.toHaveProperty("complete");
    }
    expect((await user.call("get", { format: "xml" })).body).toContain("<complete>1</complete>");
  });

  test.each([
    ["count", "0", "must be at least 1"],
    ["count", "-1", "must be a whole number"],
    ["count", "1.5", "must be a whole number"],
    ["count", "1e3", "must be a whole number"],
    ["count", " 1", "must be a whole number"],
    ["page", "0", "must be at least 1"],
    ["page", "x", "must be a whole number"],
    ["since", "-1", "must be a Unix time in whole seconds, such as 1700000000"],
    ["since", "2026-11-21", "must be a Unix time in whole seconds, such as 1700000000"],
    ["state", "0", "must be read or unread"],
    ["state", "Read", "must be read or unread"],
    ["myAppOnly", "2", "must be 0 or 1"],
    ["tags", "true", "must be 0 or 1"],
    ["format", "yaml", "must be json or xml"],
  ])("refuses %s=%s", async (name, value, rule) => {
    const answer = await user.call("get", { count: 1, [name]: value });
    expect(answer.status).toBe(400);
    expect(answer.headers.get("x-error")).toBe(`get: ${name} ${rule}`);
  });
});

describe("since", () => {
  test("returns only what was added or changed after it", async () => {
    await fill(3);
    const { since } = await user.get();
    service.clock.advance(5);
    await user.add(url(7));
    await user.send({ read: [{ url: url(0) }] });
    expect(urlsOf(await user.items({ since })).sort()).toEqual([url(0), url(7)]);
    expect(urlsOf(await user.items({ since, state: "read" }))).toEqual([url(0)]);
    expect(urlsOf(await user.items({ since, count: 1 }))).toHaveLength(1);
  });

  test("returns status 2 and an empty list if nothing changed", async () => {
    await fill(2);
    const { since } = await user.get();
    expect(await user.get({ since })).toMatchObject({ status: "2", list: {} });
    expect((await user.call("get", { since, format: "xml" })).body).toContain("<status>2</status>");
    const nobody = await service.newUser();
    expect(await nobody.get()).toMatchObject({ status: "1", list: {} });
    expect(await nobody.get({ since: 0 })).toMatchObject({ status: "1", list: {} });
    const lastWeek = service.clock.seconds() - 7 * 86_400;
    expect(await nobody.get({ since: lastWeek })).toMatchObject({ status: "2", list: {} });
  });

  test("misses no change of the same second, however many there are", async () => {
    await user.add(url(0));
    let { since } = await user.get();
    for (let i = 1; i <= 10; i++) {
      await user.add(url(i));
      const next = await user.get({ since });
      expect(urlsOf(Object.values(next.list))).toEqual([url(i)]);
      expect(Number(next.since)).toBeGreaterThan(Number(since));
      ({ since } = next);
    }
  });

  test("misses no change of a machine whose clock is behind the clock of the machine that synced", async () => {
    await user.add(url(0));
    service.clock.advance(120);
    const { since } = await user.get();
    service.clock.advance(-120);
    await user.add(url(1));
    const next = await user.get({ since });
    expect(urlsOf(Object.values(next.list))).toEqual([url(1)]);
    service.clock.advance(-60);
    expect(await user.get({ since: next.since })).toMatchObject({ status: "2" });
    await user.send({ read: [{ url: url(0) }] });
    expect(urlsOf(Object.values((await user.get({ since: next.since })).list))).toEqual([url(0)]);
  });

  test("may be up to a day in the future; a later one is 400, because it is in milliseconds", async () => {
    await user.add(url(0));
    const now = service.clock.seconds();
    expect(await user.get({ since: now + 86_400 })).toMatchObject({ status: "2", since: String(now) });
    for (const since of [now + 86_401, now * 1000, "99999999999999999999"]) {
      const answer = await user.call("get", { since });
      expect(answer.status).toBe(400);
      expect(answer.headers.get("x-error")).toBe(
        "get: since is more than a day in the future; it must be a Unix time in seconds, not milliseconds",
      );
    }
  });
});

describe("a client that fetches a list page by page", () => {
  test("misses no concurrent change, whichever page's since it stores", async () => {
    await fill(6);
    const first = await user.get({ count: 2, page: 1 });
    service.clock.advance(10);
    await user.send({ read: [{ url: url(0) }], update_title: [{ url: url(5), title: "new" }] });
    for (const page of [2, 3]) {
      const { since } = await user.get({ count: 2, page });
      expect(since).toBe(first.since);
      expect(urlsOf(await user.items({ since })).sort()).toEqual([url(0), url(5)]);
    }
  });

  test("gets the same since if another client begins the same walk later", async () => {
    await fill(6);
    const first = await user.get({ count: 2 });
    service.clock.advance(10);
    await user.add(url(9));
    await user.get({ count: 2 });
    expect((await user.get({ count: 2, page: 2 })).since).toBe(first.since);
  });

  test("gets the same since if it fetches pages of other queries in between", async () => {
    await fill(6);
    const first = await user.get({ count: 2 });
    service.clock.advance(10);
    await user.add(url(9));
    await user.get({ count: 2, state: "unread" });
    await user.get({ count: 3 });
    expect((await user.get({ count: 2, page: 2 })).since).toBe(first.since);
  });

  test("gets the since that it sent if it never fetched the first page", async () => {
    await fill(4);
    expect((await user.get({ count: 2, page: 2 })).since).toBe("0");
    const { since } = await user.get();
    await user.add(url(9));
    expect((await user.get({ count: 2, page: 2, since })).since).toBe(since);
  });

  test("misses nothing if another walk began an hour before", async () => {
    await fill(4);
    const first = await user.get({ count: 2 });
    service.clock.advance(3700);
    await user.add(url(9));
    await user.get({ count: 2 });
    expect((await user.get({ count: 2, page: 2 })).since).toBe(first.since);
  });

  test("gets the since of the later walk if it begins again later", async () => {
    await fill(4);
    await user.get({ count: 2 });
    service.clock.advance(7201);
    const second = await user.get({ count: 2 });
    expect((await user.get({ count: 2, page: 2 })).since).toBe(second.since);
  });

  test("misses nothing, however often other clients fetch a first page meanwhile", async () => {
    await fill(6);
    const first = await user.get({ count: 2 });
    service.clock.advance(10);
    await user.send({ read: [{ url: url(0) }] });
    for (let i = 0; i < 10; i++) await user.get({ count: 2, since: i });
    expect((await user.get({ count: 2, page: 2 })).since).toBe(first.since);
  });

  test("of one state gets the since that it sent if an item may have left that state", async () => {
    await fill(6);
    const whole = await user.get();
    await user.get({ count: 2, state: "unread" });
    await user.send({ read: [{ url: url(5) }] });
    const later = await user.get({ count: 2, page: 2, state: "unread", since: whole.since });
    expect(later.since).toBe(whole.since);
    expect((await user.get({ count: 2, page: 2, state: "unread" })).since).toBe("0");
  });
});

describe("get with url", () => {
  test("returns only that item, in any spelling of its URL, and no complete list", async () => {
    await fill(3);
    for (const spelled of [url(1), `${url(1)}/#top`]) {
      const { list, status, complete } = await user.get({ url: spelled });
      expect([Object.values(list).map((item) => item.url), status, complete]).toEqual([[url(1)], "1", undefined]);
    }
    expect((await user.get({ url: url(9) })).list).toEqual({});
    expect((await user.get({ url: url(1), count: 1, page: 2 })).list).toEqual({});
  });

  test("follows state, myAppOnly and since", async () => {
    await fill(2);
    const apikey = await service.newApiKey();
    const { since } = await user.get({ url: url(1) });
    const found = async (parameters: Record<string, string | number>) =>
      Object.keys((await user.get({ url: url(1), ...parameters })).list).length;
    expect([await found({ state: "unread" }), await found({ state: "read" })]).toEqual([1, 0]);
    expect([await found({ myAppOnly: 1 }), await found({ myAppOnly: 1, apikey })]).toEqual([1, 0]);
    await user.send({ read: [{ url: url(0) }] });
    expect(await found({ since })).toBe(0);
    await user.send({ read: [{ url: url(1) }] });
    expect([await found({ since }), await found({ since, state: "read" })]).toEqual([1, 1]);
    expect((await user.call("get", { url: "x" })).headers.get("x-error")).toBe("get: url is not an http(s) URL");
  });

  test("reports the deletion of only that item", async () => {
    await fill(2);
    const { since } = await user.get({ url: url(1) });
    await user.send({ delete: [{ url: url(0) }, { url: url(1) }] });
    expect((await user.get({ url: url(1) })).list).toEqual({});
    expect((await user.get({ url: url(1), since })).list).toMatchObject({ [toItemId(url(1))]: { state: "1" } });
    expect((await user.get({ url: url(1), since, state: "unread" })).list).toEqual({});
    const { list, deleted = {} } = await user.get({ url: url(1), since, deleted: 1 });
    expect([list, Object.keys(deleted)]).toEqual([{}, [toItemId(url(1))]]);
  });

  test("counts one call, however long the list is", async () => {
    await user.send({ new: Array.from({ length: 2500 }, (_, i) => ({ url: url(i) })) });
    const left = async (parameters: Record<string, string>) =>
      Number((await user.ok("get", parameters)).headers.get("x-limit-user-remaining"));
    expect((await left({ url: url(1) })) - (await left({ url: url(2) }))).toBe(1);
  });
});
