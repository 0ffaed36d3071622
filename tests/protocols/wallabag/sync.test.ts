// SPDX-License-Identifier: MIT

import type { TestUser } from "@reading-list/testing/client.ts";
import { randomFrom } from "@reading-list/testing/seeded-random.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { asShown, WallabagDevice } from "@reading-list/testing/wallabag-device.ts";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";

let service: TestService;
let user: TestUser;
let device: WallabagDevice;

beforeAll(async () => {
  service = await startTestService({ PUBLIC_KEY_ADDRESS_LIMIT: "1000000" });
});
beforeEach(async () => {
  service.clock.advance(7200);
  user = await service.newUser();
  device = await new WallabagDevice(service, user.credentials).signIn();
});

const url = (i: number) => `https://example.com/${i}`;
const pages = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => ({ url: url(from + i) }));
describe("a listing with since", () => {
  test("has every change exactly once, also those of the same second", async () => {
    await user.send({ new: pages(0, 3) });
    await device.sync();
    for (let change = 0; change < 5; change++) {
      await user.send({ update_title: [{ url: url(change % 3), title: `T${change}` }] });
      const before = new Map(device.entries);
      await device.sync();
      const changed = [...device.entries.values()].filter((entry) => before.get(entry.id) !== entry);
      expect(changed.map(({ title }) => title)).toEqual([`T${change}`]);
      expect(device.shown()).toEqual(asShown(await user.items()));
    }
  });

  test("of an unchanged list is empty", async () => {
    await user.send({ new: pages(0, 3) });
    const { items } = (await device.list("sort=updated&order=asc"))._embedded;
    const since = Date.parse(items.at(-1)?.updated_at ?? "") / 1000;
    expect((await device.list(`since=${since}`)).total).toBe(0);
    expect((await device.list(`since=${since - 1}`)).total).toBe(3);
  });
});

/** Changes that move items within a list, and out of it. */
const writes: ((i: number) => Record<string, unknown>)[] = [
  (i) => ({ delete: [{ url: url(i) }] }),
  (i) => ({ read: [{ url: url(i) }] }),
  (i) => ({ new: [{ url: url(i) }] }),
  (i) => ({ update_title: [{ url: url(i), title: `T${i}` }] }),
  (i) => ({ new: pages(i + 1000, i + 1003) }),
];

test.each([
  "sort=created&order=asc",
  "sort=created",
  "sort=updated&order=asc&since=1",
  "sort=updated",
  "archive=0",
  "archive=0&order=asc",
])(
  "a walk over the pages of %s skips no entry that stays in the list, whatever others change meanwhile",
  async (query) => {
    const random = randomFrom(query.length);
    for (let round = 0; round < 3; round++) {
      await user.send({ new: pages(0, 40), delete: pages(1000, 1100) });
      service.clock.advance(round % 2 ? 1 : 4000);
      await device.signIn();
      const unread = new Set((await user.items({ state: "unread" })).map((item) => item.url));
      const seen = new Set<string>();
      await device.walk(
        `${query}&perPage=6&detail=metadata`,
        (items) => {
          for (const entry of items) seen.add(entry.url);
        },
        async () => {
          for (let n = 0; n < 3; n++) {
            const [kind, page] = [Math.floor(random() * writes.length), Math.floor(random() * 40)];
            // A page that leaves the list and comes back has another place.
            if (kind < 2) unread.delete(url(page));
            await user.send(writes[kind]?.(page) ?? {});
            service.clock.advance(Math.floor(random() * 200));
          }
        },
      );
      const still = (await user.items({ state: "unread" })).map((item) => item.url);
      expect(still.filter((page) => unread.has(page) && !seen.has(page))).toEqual([]);
    }
  },
);

test("devices that sync while others write have the same list in the end", async () => {
  const random = randomFrom(3);
  await user.send({ new: pages(0, 60) });
  const change = async () => {
    const i = Math.floor(random() * 60);
    const title = `T${random()}`;
    const kinds = [
      { read: [{ url: url(i) }] },
      { delete: [{ url: url(i) }] },
      { new: [{ url: url(i + 60) }] },
      { update_title: [{ url: url(i), title }] },
    ];
    await user.send(kinds[Math.floor(random() * 4)] ?? {});
    service.clock.advance(random() < 0.3 ? 1 : 0);
  };
  for (let round = 0; round < 8; round++) {
    await Promise.all([device.sync({ perPage: 7, between: change }), change(), change()]);
  }
  await device.sync({ perPage: 7 });
  await device.sweep();
  expect(device.shown()).toEqual(asShown(await user.items()));
});
