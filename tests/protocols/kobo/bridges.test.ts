// SPDX-License-Identifier: MIT

import type { TestUser } from "@reading-list/testing/client.ts";
import { KoboDevice, type KoboList } from "@reading-list/testing/kobo-device.ts";
import { articlePage, page, servePages } from "@reading-list/testing/page-server.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, beforeEach, expect, test } from "vitest";

/** The requests that kobeck and readeckobo, the open bridges, expect of a device, and those of their own scripts. */

let service: TestService;
let user: TestUser;
let device: KoboDevice;
let url: string;

beforeAll(async () => {
  service = await startTestService({
    TEXT_ALLOWED_ORIGINS: "http://127.0.0.1:4999",
    PUBLIC_KEY_ADDRESS_LIMIT: "100000",
  });
});
beforeEach(async () => {
  user = await service.newUser();
  device = await KoboDevice.of(user);
  url = "https://example.com/article1";
  await user.add(url, { title: "Test Article" });
});

const list = async (fields: Record<string, unknown>): Promise<KoboList> =>
  JSON.parse((await device.call("api/kobo/get", fields)).body);

test.each([
  ["readeckobo's script", {}],
  [
    "readeckobo's full sync",
    { count: "10", contentType: "", detailType: "", offset: "", state: "", total: "", since: null },
  ],
  [
    "kobeck's",
    { contentType: "article", count: 100, detailType: "complete", offset: 0, state: "all", total: "1", since: null },
  ],
])("get of %s lists the unread items", async (_, fields) => {
  const { status, list: items, total } = await list(fields);
  expect([status, total, Object.values(items).map((item) => item.given_title)]).toEqual([1, 1, ["Test Article"]]);
});

test("get with since as a number reports archived and deleted items", async () => {
  await list({});
  const since = service.clock.seconds() - 3600;
  await user.send({ read: [{ url }] });
  expect(Object.values((await list({ since })).list).map(({ status }) => status)).toEqual(["1"]);
  await user.send({ delete: [{ url }] });
  expect(Object.values((await list({ since })).list).map(({ status }) => status)).toEqual(["2"]);
});

test.each(["archive", "readd", "favorite", "unfavorite", "delete", "opened_item", "left_item"])(
  "send of readeckobo's script with %s, which has no time, is done",
  async (action) => {
    const [item_id] = Object.keys((await list({})).list);
    const { body } = await device.call("api/kobo/send", { actions: [{ action, item_id }] });
    expect(JSON.parse(body)).toEqual({ status: true, action_results: [true] });
  },
);

test("download with only the url, as JSON and as a form, returns the article and its images", async () => {
  const origin = await servePages(page(articlePage));
  const read = `${origin}/read`;
  await user.add(read);
  await user.ok("article", { url: read, html: articlePage });
  for (const { body } of [
    await device.call("api/kobo/download", { url: read }),
    await device.callByForm("api/kobo/download", { url: read }),
  ]) {
    expect(JSON.parse(body)).toEqual({ article: expect.stringContaining("Paragraph 3"), images: {} });
  }
});
