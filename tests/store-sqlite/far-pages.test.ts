// SPDX-License-Identifier: MIT

import type { TestUser } from "@reading-list/testing/client.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, expect, test } from "vitest";

const listed = 3300;
const url = (n: number) => `https://example.com/${n}`;
const pages = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => ({ url: url(from + n) }));

let service: TestService;
let user: TestUser;

beforeAll(async () => {
  service = await startTestService({ USER_LIMIT: "100000" });
  user = await service.newUser();
  for (let from = 0; from < listed; from += 1100) {
    const added = pages(from, from + 1100);
    await user.send({ new: added, read: added.filter((_, n) => n % 3 === 0) });
    service.clock.advance(1);
  }
});

/** Walks to the end of a list from a page on, and compares each page with the whole list. */
async function walk(count: number, state: string, from: number, change?: (page: number) => Promise<unknown>) {
  let whole = await user.items({ state });
  for (let page = from; ; page++) {
    if (change) {
      await change(page);
      whole = await user.items({ state });
    }
    const items = await user.items({ count, page, state });
    expect(items).toEqual(whole.slice((page - 1) * count, page * count));
    if (items.length < count) return;
  }
}

test.each([
  [170, ""],
  [170, "unread"],
  [170, "read"],
  [700, ""],
  [700, "unread"],
])("each page of %i items of state '%s' is that part of the list, walked to or jumped at", async (count, state) => {
  await walk(count, state, 1);
  const whole = await user.items({ state });
  for (let from = Math.ceil(listed / count); from > 0; from -= 2) {
    for (const page of [from, from + 1]) {
      expect(await user.items({ count, page, state })).toEqual(whole.slice((page - 1) * count, page * count));
    }
  }
});

test("a far page is that part of the list as it is now, even if the list has changed since the page before it", async () => {
  let changes = 0;
  await walk(170, "", 5, async (page) => {
    const n = page * 170 + changes++;
    if (page % 3 === 0) await user.send({ update_title: [{ url: url(n), title: `t${n}` }] });
    if (page % 3 === 1) await user.send({ delete: [{ url: url(n) }] });
    service.clock.advance(1);
  });
  await walk(170, "", 7);
});

test("a far page of the changes since a time is that part of them, with deletions in their place", async () => {
  const since = service.clock.seconds();
  service.clock.advance(1);
  await user.send({ new: pages(5000, 7500) });
  await user.send({ delete: [{ url: url(6000) }, { url: url(7000) }] });
  service.clock.advance(1);
  for (const deleted of ["0", "1"]) {
    const whole = await user.items({ since, deleted });
    for (let page = 6; page <= 15; page++) {
      expect(await user.items({ since, deleted, count: 170, page })).toEqual(whole.slice((page - 1) * 170, page * 170));
    }
  }
});
