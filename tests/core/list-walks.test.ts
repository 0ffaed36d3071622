// SPDX-License-Identifier: MIT

import type { TestUser } from "@reading-list/testing/client.ts";
import { ReadeckDevice } from "@reading-list/testing/readeck-device.ts";
import { randomFrom } from "@reading-list/testing/seeded-random.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { type EntryPage, WallabagDevice } from "@reading-list/testing/wallabag-device.ts";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";

let service: TestService;
let user: TestUser;

beforeAll(async () => {
  service = await startTestService({ PUBLIC_KEY_ADDRESS_LIMIT: "1000000" });
});
beforeEach(async () => {
  user = await service.newUser();
});

/** Reads page 1, 2, 3, … of a query; undefined behind the last one. */
type Pager = (query: string, page: number, size?: number) => Promise<string[] | undefined>;

const apis: Record<string, { orders: string[]; unread: string; signIn: () => Promise<Pager> }> = {
  wallabag: {
    unread: "archive=0",
    orders: ["created", "updated", "archived"].flatMap((sort) => [`sort=${sort}&order=asc`, `sort=${sort}&order=desc`]),
    signIn: async () => {
      const device = await new WallabagDevice(service, user.credentials).signIn();
      return async (query, page, size = 10) => {
        const call = () => device.call("GET", `api/entries?detail=metadata&perPage=${size}&page=${page}&${query}`);
        let answer = await call();
        if (answer.status === 401) {
          await device.signIn({ grant_type: "refresh_token", refresh_token: device.tokens?.refresh_token });
          answer = await call();
        }
        if (answer.status === 404) return undefined;
        return (JSON.parse(answer.body) as EntryPage)._embedded.items.map(({ url }) => url);
      };
    },
  },
  readeck: {
    unread: "is_archived=false",
    orders: ["created", "updated", "title", "site"].flatMap((sort) => [`sort=${sort}`, `sort=-${sort}`]),
    signIn: async () => {
      const device = await ReadeckDevice.signIn(user);
      return async (query, page, size = 10) => {
        const answer = await device.call("GET", `bookmarks?limit=${size}&offset=${(page - 1) * size}&${query}`);
        const isBehind = (page - 1) * size >= Number(answer.headers.get("total-count"));
        return isBehind ? undefined : (JSON.parse(answer.body) as { url: string }[]).map(({ url }) => url);
      };
    },
  },
};

const url = (i: number) => `https://example.com/${i}`;
const pages = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => ({ url: url(from + i), title: `T${(i * 7) % 50}` }));

/** Reads the pages from one to the last one; `between` runs after each. */
async function readAll(read: Pager, query: string, from = 1, between = async () => {}): Promise<string[]> {
  const seen: string[] = [];
  for (let page = from; ; page++) {
    const urls = await read(query, page);
    if (!urls) return seen;
    seen.push(...urls);
    await between();
  }
}

describe.each(Object.entries(apis))("a walk of an app for %s", (_, { orders, unread, signIn }) => {
  test.each(orders)("shows the items of page 1 that stay once, in their order, whatever changes: %s", async (order) => {
    const random = randomFrom(order.length);
    await user.send({ new: pages(0, 50) });
    await user.send({ read: pages(10, 20) });
    service.clock.advance(300);
    const read = await signIn();
    const before = await read(order, 1, 50);
    /** Items that were deleted for a while, perhaps when their page was read. */
    const deleted = new Set<string>();
    let added = 100;
    const seen = await readAll(read, order, 1, async () => {
      for (let n = 0; n < 6; n++) {
        const i = Math.floor(random() * 50);
        const kind = Math.floor(random() * 5);
        if (kind === 0) {
          await user.send({ delete: [{ url: url(i) }] });
          deleted.add(url(i));
        } else if (kind === 1) {
          await user.send({ new: [{ url: url(i) }, { url: url(added) }] });
          added += 1;
        } else if (kind === 2) await user.send({ read: [{ url: url(i) }] });
        else if (kind === 3) await user.send({ update_title: [{ url: url(i), title: `A${n}` }] });
        else {
          await user.send({ new: pages(added, added + 3) });
          added += 3;
        }
        service.clock.advance(Math.floor(random() * 60));
      }
    });
    expect(new Set(seen).size).toBe(seen.length);
    expect(before?.filter((each) => seen.includes(each))).toEqual(seen);
    const still = new Set((await user.items()).map((item) => item.url));
    expect(before?.filter((each) => still.has(each) && !deleted.has(each) && !seen.includes(each))).toEqual([]);
  });

  test("returns a page again, pages out of order, and alternating pages of two queries", async () => {
    await user.send({ new: pages(0, 50) });
    const read = await signIn();
    const [newest = "", oldest = ""] = orders;
    const firsts = [await read(newest, 1), await read(oldest, 1)];
    await user.send({ new: pages(50, 75), read: pages(0, 20) });
    const once = [await read(newest, 4), await read(oldest, 2), await read(newest, 2)];
    await user.send({ new: pages(75, 99), read: pages(20, 40) });
    const again = [await read(newest, 4), await read(oldest, 2), await read(newest, 2)];
    expect(again).toEqual(once);
    const rest = [await read(newest, 3), await read(newest, 5)];
    const walk = [firsts[0], once[2], rest[0], once[0], rest[1]].flat();
    expect(new Set(walk)).toEqual(new Set(pages(0, 50).map((page) => page.url)));
    expect(await read(newest, 6)).toBeUndefined();
  });

  test("lasts an hour, even if the token is renewed, and continues if page 1 is requested again while the list is unchanged", async () => {
    await user.send({ new: pages(0, 30) });
    const read = await signIn();
    const [order = ""] = orders;
    service.clock.advance(3000);
    await read(order, 1);
    service.clock.advance(700);
    await read(order, 1);
    await user.send({ new: pages(30, 40) });
    expect(await readAll(read, order, 2)).toHaveLength(20);
    service.clock.advance(3000);
    expect(await readAll(read, order, 2)).toHaveLength(30);
  });

  test("starts over if page 1 is requested again after a change", async () => {
    await user.send({ new: pages(0, 30) });
    const read = await signIn();
    const [order = ""] = orders;
    await read(order, 1);
    await user.send({ new: pages(30, 40) });
    await read(order, 1);
    await user.send({ new: pages(40, 50) });
    expect(await readAll(read, order, 2)).toHaveLength(30);
  });

  test("is remembered with three others of its sign-in, and does not disturb those of another one", async () => {
    await user.send({ new: pages(0, 40) });
    const [read, other] = [await signIn(), await signIn()];
    const queries = orders.slice(0, 4);
    for (const query of queries) {
      await read(query, 1);
      service.clock.advance(1);
    }
    await other(queries[0] ?? "", 1);
    await user.send({ new: pages(40, 60) });
    for (const query of queries) expect(await readAll(read, query, 2)).toHaveLength(30);
    await read(unread, 1);
    expect(await readAll(read, queries[0] ?? "", 2)).toHaveLength(50);
    expect(await readAll(read, queries[1] ?? "", 2)).toHaveLength(30);
    expect(await readAll(other, queries[0] ?? "", 2)).toHaveLength(30);
  });
});
