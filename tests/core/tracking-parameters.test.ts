// SPDX-License-Identifier: MIT

import { withoutTracking } from "@reading-list/core/domain/tracking-parameters.ts";
import { Assistant } from "@reading-list/testing/assistant.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { GoogleReader } from "@reading-list/testing/google-reader.ts";
import { ReadeckDevice } from "@reading-list/testing/readeck-device.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { WallabagDevice } from "@reading-list/testing/wallabag-device.ts";
import { beforeAll, beforeEach, expect, test } from "vitest";

let service: TestService;
let user: TestUser;
beforeAll(async () => {
  service = await startTestService({ PUBLIC_KEY_ADDRESS_LIMIT: "100000" });
});
beforeEach(async () => {
  user = await service.newUser();
});

const clean = "https://example.com/a?id=1";
const tracked = "https://example.com/a?utm_source=news&id=1&fbclid=x";
const urls = async () => (await user.items()).map(({ url }) => url);

test.each([
  [tracked, clean],
  ["https://example.com/?utm_source=x", "https://example.com/"],
  ["https://example.com/a?utm_source=x#part?utm_source=x", "https://example.com/a#part?utm_source=x"],
  ["https://example.com/#/a?gclid=1", "https://example.com/#/a?gclid=1"],
  ["https://example.com/?mc_cid=1&mc_id=2&ref=3&source=4", "https://example.com/?mc_id=2&ref=3&source=4"],
  ["https://example.com/?a=1&&b=%20+&gclid", "https://example.com/?a=1&&b=%20+"],
  ["https://example.com/?q=utm_source=x", "https://example.com/?q=utm_source=x"],
  ["https://example.com/?utm_sources=x", "https://example.com/?utm_sources=x"],
])("of %s the parameters that only track are removed, and nothing else", (url, cleaned) => {
  expect(withoutTracking(url)).toBe(cleaned);
});

test("with clean=1, add and the entries of new remove parameters that only track", async () => {
  await user.add(tracked, { clean: "1" });
  await user.send({ clean: 1, new: [{ url: "https://example.com/b?gclid=1", tags: "t" }, { url: tracked }] });
  expect(await urls()).toEqual([clean, "https://example.com/b"]);
});

test("the other entries of a send name the stored URL", async () => {
  await user.send({ clean: 1, new: [{ url: tracked }], read: [{ url: clean }] });
  expect(await user.items()).toMatchObject([{ url: clean, state: "1" }]);
});

test("without clean=1 a URL is stored as it was sent", async () => {
  await user.add(tracked);
  await user.send({ clean: 0, new: [{ url: "https://example.com/b?gclid=1" }] });
  expect(await urls()).toEqual(["https://example.com/b?gclid=1", tracked]);
  expect((await user.call("add", { url: tracked, clean: "yes" })).headers.get("x-error")).toContain("clean");
});

test("a URL that is in the list or in the trash as it was sent keeps its parameters", async () => {
  await user.add(tracked, { title: "Tracked" });
  await user.send({ clean: 1, read: [{ url: tracked }], new: [{ url: tracked }] });
  expect(await user.items()).toMatchObject([{ url: tracked, title: "Tracked" }]);
  await user.send({ delete: [{ url: tracked }] });
  await user.add(tracked, { clean: "1" });
  expect(await urls()).toEqual([tracked]);
  await user.send({ delete: [{ url: tracked }] });
  await user.ok("trash", { purge: "all" });
  await user.add(tracked, { clean: "1" });
  expect(await urls()).toEqual([clean]);
});

test("a retry of a batch that was cleaned changes nothing", async () => {
  const entries = Array.from({ length: 250 }, (_, i) => ({ url: `https://example.com/${i}?utm_medium=${i}` }));
  await user.send({ clean: 1, new: entries });
  await user.send({ clean: 1, new: entries });
  const items = await user.items();
  expect(items).toHaveLength(250);
  expect(items.filter(({ url }) => url?.includes("utm_"))).toEqual([]);
});

/** How each API of another service saves a page, and finds it again by the address that its client knows. */
const apis = {
  wallabag: async () => {
    const device = new WallabagDevice(service, user.credentials);
    await device.signIn();
    const { body } = await device.call("POST", "api/entries.json", { url: tracked });
    expect(JSON.parse(body).url).toBe(clean);
    const exists = await device.call("GET", `api/entries/exists.json?url=${encodeURIComponent(tracked)}`);
    expect(JSON.parse(exists.body)).toEqual({ exists: true });
  },
  "wallabag's list": async () => {
    const device = new WallabagDevice(service, user.credentials);
    await device.signIn();
    const { body } = await device.call(
      "POST",
      `api/entries/lists?urls=${encodeURIComponent(JSON.stringify([tracked]))}`,
    );
    expect(JSON.parse(body)).toMatchObject([{ url: tracked, entry: expect.any(Number) }]);
  },
  readeck: async () => {
    const device = await ReadeckDevice.signIn(user);
    const { headers } = await device.call("POST", "bookmarks", { url: tracked });
    const { body } = await device.call("GET", `bookmarks/${headers.get("bookmark-id")}`);
    expect(JSON.parse(body).url).toBe(clean);
  },
  "Google Reader": async () => {
    const reader = await GoogleReader.signIn(user);
    expect((await reader.post("subscription/quickadd", [["quickadd", tracked]])).status).toBe(200);
  },
  MCP: async () => {
    const { json } = await (await Assistant.of(user)).use("save", { url: tracked });
    expect(json.saved.url).toBe(clean);
  },
};

test.each(Object.entries(apis))("%s saves pages without parameters that only track", async (_, save) => {
  await save();
  expect(await urls()).toEqual([clean]);
});
