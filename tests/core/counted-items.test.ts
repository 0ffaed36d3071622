// SPDX-License-Identifier: MIT

import { newName, type TestUser } from "@reading-list/testing/client.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";

let service: TestService;
let user: TestUser;
let apikey: string;

const listed = 5200;
const url = (i: number) => `http://a.example/${i}`;
const urls = (from: number, to: number) =>
  JSON.stringify(Array.from({ length: to - from }, (_, i) => ({ url: url(from + i) })));

beforeAll(async () => {
  service = await startTestService({ KEY_LIMIT: "100000" });
  user = await service.newUser();
  await user.ok("send", { new: urls(0, listed), read: urls(0, 1500) });
});

beforeEach(async () => {
  apikey = await service.newApiKey({ userLimit: 1000, keyLimit: 1000 });
  service.clock.advance(3600);
});

/** The calls that a `get` counts against the user and the key. */
async function callsOf(parameters: Record<string, string | number>, { from = service } = {}): Promise<number[]> {
  const left = ({ headers }: { headers: Headers }) =>
    ["user", "key"].map((whose) => Number(headers.get(`x-limit-${whose}-remaining`)));
  const [before, after] = [
    left(await user.call("auth", { apikey })),
    left(await from.call("get", { ...user.credentials, apikey, ...parameters })),
  ];
  return before.map((calls, i) => calls - Number(after[i]));
}

describe("a get counts a call for each 1,000 items that it reads, against user and key", () => {
  test.each([
    ["the whole list", {}, 6],
    ["the read items", { state: "read" }, 2],
    ["the unread items", { state: "unread" }, 4],
    ["a first page of 30", { count: 30 }, 1],
    ["a first page of 2,500", { count: 2500 }, 3],
    ["a page longer than the list", { count: 100_000 }, 6],
    ["a later page within the first 1,000", { count: 30, page: 33 }, 1],
    ["a jump to a page behind 2,000 items", { count: 500, page: 5 }, 3],
    ["a page behind the end", { count: 500, page: 500 }, 1],
    ["a `since` after the last change", { since: "now" }, 1],
  ])("%s", async (_, parameters, calls) => {
    const since = "since" in parameters ? { since: (await user.get({ count: 1 })).since } : {};
    expect(await callsOf({ ...parameters, ...since })).toEqual([calls, calls]);
  });

  test("changes, which are counted after the read and never lead to a refusal", async () => {
    const { since } = await user.get({ count: 1 });
    service.clock.advance(1);
    await user.ok("send", {
      update_title: JSON.stringify(JSON.parse(urls(0, 2100)).map((entry: object) => ({ ...entry, title: newName() }))),
    });
    expect(await callsOf({ since })).toEqual([3, 3]);
    apikey = await service.newApiKey({ userLimit: 1000, keyLimit: 2 });
    expect(Object.keys((await user.get({ apikey, since })).list)).toHaveLength(2100);
    expect((await user.call("auth", { apikey })).status).toBe(403);
  });
});

test("a walk over pages counts the items of each page, also after a change, and if another process answers", async () => {
  const { TABLE_NAME } = service.env;
  // A data folder has one service.
  const other = TABLE_NAME ? await startTestService({ TABLE_NAME }, { clock: service.clock }) : service;
  const walk: number[] = [];
  const seen = new Set<string>();
  for (let page = 1; page <= 6; page++) {
    const from = page % 2 ? service : other;
    const [calls = 0] = await callsOf({ count: 1000, page }, { from });
    walk.push(calls);
    for (const item of await user.items({ count: 1000, page })) seen.add(item.url);
    if (page === 3) await user.add(url(listed - 1));
  }
  expect(walk).toEqual([1, 1, 1, 1, 1, 1]);
  expect(seen.size).toBe(listed);
});

test("a page that follows one of the last four pages of its list is not a jump; a page that follows an earlier page is", async () => {
  const page = async (number: number, state: string) => (await callsOf({ count: 250, page: number, state }))[0];
  for (let number = 1; number <= 12; number++) {
    expect(await page(number, "unread")).toBe(1);
    if (number <= 5) await page(number, "read");
  }
  expect(await page(10, "unread")).toBe(1);
  expect(await page(6, "read")).toBe(1);
  expect(await page(5, "unread")).toBe(2);
});

test("a get is 403 if the rest of the window is too small, and is not counted; in a new window it is admitted", async () => {
  apikey = await service.newApiKey({ userLimit: 4 });
  await user.ok("auth", { apikey });
  const refused = await user.call("get", { apikey });
  expect(refused.status).toBe(403);
  expect(refused.headers.get("x-error")).toContain("this get counts as more calls than are left (3 of 4");
  expect(refused.headers.get("x-limit-user-remaining")).toBe("3");
  service.clock.advance(3600);
  const admitted = await user.call("get", { apikey });
  expect([admitted.status, admitted.headers.get("x-limit-user-remaining")]).toEqual([200, "0"]);
  expect((await user.call("auth", { apikey })).status).toBe(403);
});
