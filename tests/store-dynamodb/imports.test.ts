// SPDX-License-Identifier: MIT

import type { TestUser } from "@reading-list/testing/client.ts";
import { importInto, type PageOfFile } from "@reading-list/testing/import-into.ts";
import { startDynamodbService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";

let service: TestService;
let user: TestUser;
beforeAll(async () => {
  service = await startDynamodbService();
});
beforeEach(async () => {
  user = await service.newUser();
});

const url = (i: number) => `http://example.com/${i}`;
const importPages = (...pages: PageOfFile[]) => importInto(service, user, pages);
const long = 1_500_000_000;

describe("in a list that was never synced", () => {
  test("imported items have their original times, and their order", async () => {
    await importPages(
      { url: url(1), title: "One", tags: "a,b", state: "1", timeAdded: long, timeUpdated: long + 5 },
      { url: url(2), timeAdded: long + 7 },
      { url: url(3), timeAdded: long + 7 },
    );
    expect(await user.items()).toEqual([
      { ...itemAt(3), time_added: `${long + 7}`, time_updated: `${long + 7}` },
      { ...itemAt(2), time_added: `${long + 7}`, time_updated: `${long + 7}` },
      {
        ...itemAt(1),
        title: "One",
        tags: "a,b",
        state: "1",
        time_added: `${long}`,
        time_updated: `${long + 5}`,
      },
    ]);
    expect(await user.stats()).toMatchObject({ count_list: "3", count_unread: "2", count_read: "1" });
  });

  test("a page without times, and one with times in the future, are added now", async () => {
    const now = `${service.clock.seconds()}`;
    await importPages({ url: url(1) }, { url: url(2), timeAdded: service.clock.seconds() + 1000 });
    for (const item of await user.items()) expect(item).toMatchObject({ time_added: now, time_updated: now });
  });

  test("imported items take their places among others by time", async () => {
    await importPages({ url: url(1), timeAdded: long }, { url: url(3), timeAdded: long + 2 });
    await user.add(url(4));
    await importPages({ url: url(2), timeAdded: long + 1 });
    expect((await user.items()).map((item) => item.url)).toEqual([url(4), url(3), url(2), url(1)]);
  });

  test("counts stay exact, and what is added after it is the newest", async () => {
    await importPages({ url: url(1), timeAdded: long }, { url: url(2), timeAdded: long + 1 });
    await user.add(url(3));
    await importPages({ url: url(0), timeAdded: long - 1, state: "1" });
    await user.send({ read: [{ url: url(2) }], delete: [{ url: url(1) }] });
    expect(await user.stats()).toMatchObject({ count_list: "3", count_unread: "1", count_read: "2" });
    expect((await user.items()).map((item) => item.url)).toEqual([url(2), url(3), url(0)]);
  });

  test("a page that was deleted is added again", async () => {
    await user.add(url(1));
    await user.send({ delete: [{ url: url(1) }] });
    expect(await importPages({ url: url(1), timeAdded: long })).toEqual(["new"]);
    expect(await user.items()).toMatchObject([{ url: url(1), time_added: `${long}`, time_updated: `${long}` }]);
    expect((await user.get({ since: service.clock.seconds() - 100, deleted: 1 })).deleted).toEqual({});
  });
});

describe("in a list that was synced", () => {
  test("imported items are ordinary changes: the next sync has all of them, once, in their order", async () => {
    await user.add(url(0));
    const { since } = await user.get();
    await importPages({ url: url(1), timeAdded: long }, { url: url(2), timeAdded: long + 1, state: "1" });
    const changes = await user.get({ since });
    expect((await user.items({ since })).map((item) => item.url)).toEqual([url(2), url(1)]);
    expect(
      Object.values(changes.list)
        .map(({ time_added }) => time_added)
        .sort(),
    ).toEqual([`${long}`, `${long + 1}`]);
    for (const item of Object.values(changes.list)) expect(Number(item.time_updated)).toBeGreaterThan(Number(since));
    expect((await user.get({ since: changes.since })).status).toBe("2");
  });
});

test("in a list that is synced between the read of its state and the write, no item has a time in the past", async () => {
  const seen = await service.operator.users.find(user.credentials.username);
  const { since } = await user.get();
  service.clock.advance(5);
  await importInto(service, user, [{ url: url(1), timeAdded: long }, { url: url(2) }], seen);
  expect((await user.items({ since })).map((item) => item.url)).toEqual([url(2), url(1)]);
});

describe("the list wins", () => {
  test("state, title, tags and times of an item stay", async () => {
    await user.add(url(1), { title: "Mine", tags: "mine" });
    await user.send({ read: [{ url: url(1) }] });
    const before = await user.items();
    service.clock.advance(5);
    expect(await importPages({ url: url(1), title: "Other", tags: "other", timeAdded: long })).toEqual(["existing"]);
    expect(await user.items()).toEqual(before);
  });

  test("an empty title and empty tags are filled, which is a change that syncs", async () => {
    await user.send({ new: [{ url: url(1) }, { url: url(2), title: "Two" }, { url: url(3), tags: "c" }] });
    const { since } = await user.get();
    expect(
      await importPages(
        { url: url(1), title: "One", tags: "a", state: "1" },
        { url: url(2), title: "Zwei", tags: "b" },
        { url: url(3), title: "", tags: "d" },
      ),
    ).toEqual(["changed", "changed", "existing"]);
    expect(await user.items({ since })).toMatchObject([
      { url: url(2), title: "Two", tags: "b", state: "0" },
      { url: url(1), title: "One", tags: "a", state: "0" },
    ]);
  });

  test("in a list that was never synced, a filled item has a new time, so that no first sync can return it unfilled", async () => {
    await user.add(url(1));
    service.clock.advance(5);
    await importPages({ url: url(1), title: "One", timeAdded: long });
    expect(await user.items()).toMatchObject([{ title: "One", time_updated: `${service.clock.seconds()}` }]);
  });

  test("a page that is in the file twice is one item, with the state and the time of the first line", async () => {
    expect(
      await importPages(
        { url: url(1), state: "1", timeAdded: long },
        { url: `${url(1)}/`, title: "One", tags: "a", timeAdded: long + 1 },
        { url: url(1), title: "Uno" },
      ),
    ).toEqual(["new", "changed", "existing"]);
    expect(await user.items()).toMatchObject([
      { url: url(1), title: "One", tags: "a", state: "1", time_added: `${long}`, time_updated: `${long}` },
    ]);
  });
});

test("imported items belong to no API key", async () => {
  await importPages({ url: url(1), timeAdded: long });
  await user.add(url(2));
  expect((await user.items({ myAppOnly: 1 })).map((item) => item.url)).toEqual([url(2)]);
});

const itemAt = (i: number) => ({ item_id: expect.any(String), url: url(i), title: url(i), tags: "", state: "0" });
