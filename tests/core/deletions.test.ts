// SPDX-License-Identifier: MIT

import type { ListAnswer, TestUser } from "@reading-list/testing/client.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";

let service: TestService;
let user: TestUser;

beforeAll(async () => {
  service = await startTestService();
});
beforeEach(async () => {
  user = await service.newUser();
  for (const i of [0, 1, 2, 3]) {
    await user.add(url(i), { tags: `tag ${i}` });
    service.clock.advance(1);
  }
  await user.send({ read: [{ url: url(3) }] });
});

const url = (i: number) => `http://example.com/${i}`;
const deleted = (...pages: number[]) => user.send({ delete: pages.map((i) => ({ url: url(i) })) });
const urlsOf = ({ list }: ListAnswer) => Object.values(list).map((item) => item.url);
const idOf = async (i: number) => (await user.items()).find((item) => item.url === url(i))?.item_id as string;
const days = (count: number) => count * 86_400;

describe("a deleted item", () => {
  test("is in no list and in no count", async () => {
    expect((await deleted(1, 3)).status).toBe(200);
    expect((await user.items()).map((item) => item.url)).toEqual([url(2), url(0)]);
    expect(await user.items({ state: "read" })).toEqual([]);
    expect(await user.items({ state: "unread" })).toHaveLength(2);
    expect(await user.stats()).toMatchObject({ count_list: "2", count_unread: "2", count_read: "0" });
  });

  test("is returned once, as id and time of deletion, to a client that passes deleted=1", async () => {
    const id = await idOf(1);
    const { since } = await user.get();
    await deleted(1);
    const sync = await user.get({ since, deleted: 1 });
    expect(sync).toMatchObject({ status: "1", list: {} });
    expect(sync.deleted).toEqual({ [id]: sync.since });
    const next = await user.get({ since: sync.since, deleted: 1 });
    expect(next).toMatchObject({ status: "2", list: {}, deleted: {} });
  });

  test("is returned once, as a read item, to any other client", async () => {
    const { since } = await user.get();
    await deleted(1);
    const sync = await user.get({ since, tags: 1 });
    expect(Object.values(sync.list)).toMatchObject([{ url: url(1), state: "1", tags: "tag 1" }]);
    expect(sync).not.toHaveProperty("deleted");
    expect(urlsOf(await user.get({ since, state: "read" }))).toEqual([url(1)]);
    expect(urlsOf(await user.get({ since, state: "unread" }))).toEqual([]);
    expect(await user.get({ since: sync.since })).toMatchObject({ status: "2", list: {} });
  });

  test("is ordered by time_updated among the other changes, on each page", async () => {
    const { since } = await user.get();
    for (const change of [() => user.add(url(7)), () => deleted(1), () => user.add(url(8)), () => deleted(2, 3)]) {
      service.clock.advance(1);
      await change();
    }
    const all = urlsOf(await user.get({ since }));
    expect(new Set(all.slice(0, 2))).toEqual(new Set([url(2), url(3)]));
    expect(all.slice(2)).toEqual([url(8), url(1), url(7)]);
    for (const [page, urls] of [all.slice(0, 2), all.slice(2, 4), all.slice(4), []].entries()) {
      expect(urlsOf(await user.get({ since, count: 2, page: page + 1 }))).toEqual(urls);
    }
  });

  test("is not returned to a client whose first sync is later", async () => {
    await deleted(1);
    const first = await user.get({ deleted: 1 });
    expect(first).toMatchObject({ complete: "1", deleted: {} });
    expect(urlsOf(first)).not.toContain(url(1));
    expect(await user.get({ since: first.since })).toMatchObject({ status: "2" });
  });

  test("becomes a new item if its URL is added again, and its deletion is no longer returned", async () => {
    const { since } = await user.get();
    await deleted(1);
    service.clock.advance(50);
    await user.add(url(1));
    const [again, ...others] = Object.values((await user.get({ since, deleted: 1, tags: 1 })).list);
    expect(others).toEqual([]);
    expect(again).toMatchObject({ url: url(1), title: url(1), tags: "", state: "0" });
    expect(again?.time_added).toBe(again?.time_updated);
    expect((await user.get({ since, deleted: 1 })).deleted).toEqual({});
    expect((await user.stats()).count_list).toBe("4");
  });

  test("ignores changes other than an addition", async () => {
    await deleted(1);
    const { since } = await user.get();
    await user.send({
      read: [{ url: url(1) }],
      update_title: [{ url: url(1), title: "t" }],
      delete: [{ url: url(1) }],
    });
    expect(await user.get({ since })).toMatchObject({ status: "2" });
    expect((await user.stats()).count_list).toBe("3");
  });

  test("is returned for 90 days; an older since is treated as a first sync", async () => {
    const { since } = await user.get();
    await deleted(1);
    const { since: later } = await user.get();
    service.clock.advance(days(90) - 5);
    expect((await user.get({ since: later, deleted: 1 })).status).toBe("2");
    expect(Object.keys((await user.get({ since, deleted: 1 })).deleted ?? {})).toHaveLength(1);
    service.clock.advance(100);
    const answer = await user.get({ since, deleted: 1 });
    expect(answer).toMatchObject({ status: "1", complete: "1", deleted: {} });
    expect(urlsOf(answer)).toHaveLength(3);
  });

  test("of another application is not returned with myAppOnly=1", async () => {
    const { since } = await user.get();
    await deleted(1);
    expect(urlsOf(await user.get({ since, myAppOnly: 1 }))).toEqual([url(1)]);
  });

  test("is returned to the application that saved the page, even if another has added it again", async () => {
    const apikey = await service.newApiKey();
    const id = await idOf(1);
    const { since } = await user.get();
    await deleted(1);
    await user.add(url(1), { apikey, tags: "by another" });
    await user.send({ read: [{ url: url(1) }] });
    for (const state of [{}, { state: "unread" }, { count: 1 }]) {
      const answer = await user.get({ since, myAppOnly: 1, deleted: 1, ...state });
      expect([urlsOf(answer), Object.keys(answer.deleted ?? {})]).toEqual([[], [id]]);
    }
    expect(urlsOf(await user.get({ since, myAppOnly: 1 }))).toEqual([url(1)]);
    expect(await user.get({ since, myAppOnly: 1, count: 1 })).toMatchObject({ list: { [id]: { state: "1" } } });
    const other = await user.get({ since, myAppOnly: 1, deleted: 1, apikey });
    expect([urlsOf(other), other.deleted]).toEqual([[url(1)], {}]);

    const next = await user.get({ since });
    await user.send({ update_title: [{ url: url(1), title: "new" }] });
    expect((await user.get({ since: next.since, myAppOnly: 1, deleted: 1 })).deleted).toEqual({});
  });

  test("is an element in XML", async () => {
    const id = await idOf(2);
    const { since } = await user.get();
    await deleted(2);
    const { body } = await user.ok("get", { since, deleted: 1, format: "xml" });
    expect(body).toContain("<list/>");
    expect(body).toMatch(new RegExp(`<deleted><item><item_id>${id}</item_id><time>\\d+</time></item></deleted>`));
  });
});

describe("delete in send", () => {
  test("applies after the other four", async () => {
    await user.send({ delete: [{ url: url(9) }], new: [{ url: url(9) }], update_tags: [{ url: url(9), tags: "a" }] });
    expect((await user.items()).map((item) => item.url)).not.toContain(url(9));
    expect((await user.stats()).count_list).toBe("4");
  });

  test("of a page that is not in the list is ignored", async () => {
    const { since } = await user.get();
    expect((await deleted(77)).status).toBe(200);
    expect(await user.get({ since, deleted: 1 })).toMatchObject({ status: "2", deleted: {} });
  });

  test("with a faulty entry is 400, names the entry and applies nothing", async () => {
    const answer = await user.send({ new: [{ url: url(5) }], delete: [{ url: url(1) }, { url: "x" }] });
    expect(answer.status).toBe(400);
    expect(answer.headers.get("x-error")).toBe("send: delete.1.url is not an http(s) URL");
    expect(await user.items()).toHaveLength(4);
  });

  test("of all 300 items leaves an empty list, and reading the list does not read tombstones", async () => {
    const entries = Array.from({ length: 300 }, (_, i) => ({ url: url(i) }));
    await user.send({ new: entries });
    await user.send({ delete: entries });
    expect(await user.get({ count: 30 })).toMatchObject({ status: "1", complete: "1", list: {} });
    expect(await user.stats()).toMatchObject({ count_list: "0", count_unread: "0", count_read: "0" });
  });
});
