// SPDX-License-Identifier: MIT

import type { TestUser } from "@reading-list/testing/client.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { WallabagDevice } from "@reading-list/testing/wallabag-device.ts";
import { beforeAll, beforeEach, expect, test } from "vitest";

let service: TestService;
let user: TestUser;
const url = "http://example.com/1";

beforeAll(async () => {
  service = await startTestService();
});
beforeEach(async () => {
  user = await service.newUser();
  await user.add(url, { tags: "a" });
  service.clock.advance(10);
});

const now = () => service.clock.seconds();
const update = (...entries: object[]) => user.send({ update_progress: entries.map((entry) => ({ url, ...entry })) });
const shown = async () => {
  const [item] = await user.items();
  const { progress, anchor } = item as unknown as Record<string, string>;
  return [progress, anchor];
};
const errorOf = async (entry: object) => (await update(entry)).headers.get("x-error");

test("an item has the progress that was sent, and no other item has one", async () => {
  await user.add(`${url}/other`);
  await update({ progress: 40, anchor: "The harbour" });
  const items = await user.items();
  expect(items).toMatchObject([{ progress: "40", anchor: "The harbour" }, { url: `${url}/other` }]);
  expect(items[1]).not.toHaveProperty("progress");
  expect(Object.values((await user.get()).list)[0]).not.toHaveProperty("progress");
  await update({ progress: "41" });
  expect(await shown()).toEqual(["41", ""]);
  expect((await user.ok("get", { progress: 1, format: "xml" })).body).toContain("<progress>41</progress><anchor/>");
});

test("progress is a change like any other, returned once", async () => {
  const { since } = await user.get();
  await update({ progress: 40 });
  const sync = await user.get({ since, progress: 1 });
  expect(Object.values(sync.list)).toMatchObject([{ url, progress: "40" }]);
  expect(await user.get({ since: sync.since })).toMatchObject({ status: "2" });
});

test("an equal value changes nothing, so a repeated request is harmless", async () => {
  await update({ progress: 40, anchor: "x" });
  const { since } = await user.get();
  service.clock.advance(10);
  await update({ progress: 40, anchor: "x" });
  await update({ progress: 40, anchor: "x" }, { progress: 40, anchor: "x" });
  expect(await user.get({ since })).toMatchObject({ status: "2" });
});

test("progress of an earlier time than the stored one is ignored", async () => {
  await update({ progress: 90, time: now() - 5 });
  await update({ progress: 30, time: now() - 6 });
  expect(await shown()).toEqual(["90", ""]);
  await update({ progress: 30, time: String(now() - 5) });
  expect(await shown()).toEqual(["30", ""]);
  await update({ progress: 20 }, { progress: 10, time: now() - 1 });
  expect(await shown()).toEqual(["20", ""]);
});

test("progress is kept when the item is read, changed, or added again, and ignored for a page outside the list", async () => {
  await update({ progress: 40 }, { url: `${url}/other`, progress: 50 });
  await user.send({ read: [{ url }], update_title: [{ url, title: "t" }] });
  await user.add(url);
  expect(await user.items()).toMatchObject([{ title: "t", progress: "40" }]);
});

test("update_progress applies after update_tags and before delete", async () => {
  await user.send({
    delete: [{ url: `${url}/2` }],
    update_progress: [
      { url: `${url}/2`, progress: 10 },
      { url: `${url}/3`, progress: 20 },
    ],
    new: [{ url: `${url}/2` }, { url: `${url}/3` }],
  });
  expect((await user.items())[0]).toMatchObject({ url: `${url}/3`, progress: "20" });
  expect((await user.stats()).count_list).toBe("2");
});

test("a mistake is 400, names the entry and applies nothing", async () => {
  expect(await errorOf({})).toBe("send: update_progress.0.progress is missing");
  for (const progress of [101, -1, 1.5, "x", "", true, null]) {
    expect(await errorOf({ progress })).toBe("send: update_progress.0.progress must be a whole number from 0 to 100");
  }
  expect(await errorOf({ progress: 1, anchor: "x".repeat(501) })).toBe(
    "send: update_progress.0.anchor must be at most 500 characters",
  );
  expect(await errorOf({ progress: 1, time: now() + 1 })).toMatch(/^send: update_progress.0.time is in the future/);
  expect(await shown()).toEqual([undefined, undefined]);
});

test("a change of only the progress does not change wallabag's updated_at, and its since does not list the item", async () => {
  const device = await new WallabagDevice(service, user.credentials).signIn();
  const updatedAt = async (query = "") => (await device.list(query))._embedded.items.map((entry) => entry.updated_at);
  const before = await updatedAt();
  const since = `since=${now()}`;
  for (const progress of [10, 20]) {
    service.clock.advance(10);
    await update({ progress });
  }
  expect([await updatedAt(), await updatedAt(since)]).toEqual([before, []]);
  await user.send({ update_title: [{ url, title: "t" }], update_progress: [{ url, progress: 30 }] });
  const after = await updatedAt(since);
  expect(after).not.toEqual(before);
  service.clock.advance(10);
  await update({ progress: 40 });
  expect(await updatedAt()).toEqual(after);
});
