// SPDX-License-Identifier: MIT

import type { TestUser } from "@reading-list/testing/client.ts";
import { runs } from "@reading-list/testing/property-runs.ts";
import type { ReadeckDevice } from "@reading-list/testing/readeck-device.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { newReadeckUser } from "./user.ts";

let service: TestService;

beforeAll(async () => {
  service = await startTestService({ PUBLIC_KEY_ADDRESS_LIMIT: "100000" });
});

const urlOf = (page: number) => `https://example.com/${page}`;
/** The changes of another device between two pages. */
const writes: Record<string, (url: string) => Record<string, unknown>> = {
  delete: (url) => ({ delete: [{ url }] }),
  archive: (url) => ({ read: [{ url }] }),
  addAgain: (url) => ({ new: [{ url }] }),
  retitle: (url) => ({ update_title: [{ url, title: `T${url.length}${url.at(-1)}` }] }),
};

/** Reads all pages of a query; `between` runs after each. Returns the URLs of all pages. */
async function walk(device: ReadeckDevice, query: string, limit: number, between = async () => {}): Promise<string[]> {
  const seen: string[] = [];
  for (let offset = 0, total = 1; offset < total; offset += limit) {
    const answer = await device.call("GET", `bookmarks?${query}&limit=${limit}&offset=${offset}`);
    for (const { url } of JSON.parse(answer.body)) seen.push(url);
    total = Number(answer.headers.get("total-count"));
    await between();
  }
  return seen;
}

test.each(["sort=created", "sort=-updated", "sort=title", "sort=-site"])(
  "a client that reads all pages of a list that does not change sees each item once: %s",
  async (query) => {
    const { user, device } = await newReadeckUser(service);
    await user.send({ new: Array.from({ length: 20 }, (_, page) => ({ url: urlOf(page), title: `T${page}` })) });
    service.clock.advance(300);
    const seen = await walk(device, query, 7);
    expect([seen.length, new Set(seen).size]).toEqual([20, 20]);
  },
);

test("a client that reads all pages while others write misses no item that stays in the list", async () => {
  const step = fc.record({ kind: fc.constantFrom(...Object.keys(writes)), page: fc.nat(24), seconds: fc.nat(50) });
  const queries = [
    "is_archived=false",
    "is_archived=false&sort=created",
    "sort=-updated",
    "sort=title&is_archived=false",
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...queries),
      fc.integer({ min: 2, max: 7 }),
      fc.array(fc.array(step, { maxLength: 5 }), { maxLength: 14 }),
      async (query, limit, rounds) => {
        const { user, device } = await newReadeckUser(service);
        await user.send({ new: Array.from({ length: 20 }, (_, page) => ({ url: urlOf(page), title: `T${page}` })) });
        service.clock.advance(300);
        const untouched = new Set(Array.from({ length: 20 }, (_, page) => urlOf(page)));
        const seen = await walk(device, query, limit, async () => {
          for (const { kind, page, seconds } of rounds.shift() ?? []) {
            service.clock.advance(seconds / 5);
            // A page that leaves and comes back has another place.
            if (kind !== "retitle") untouched.delete(urlOf(page));
            await user.send(writes[kind]?.(urlOf(page)) ?? {});
          }
        });
        expect([...untouched].filter((url) => !seen.includes(url))).toEqual([]);
      },
    ),
    runs(30),
  );
});

/** The list as this API shows it, and as `get` does. */
async function lists(user: TestUser, device: ReadeckDevice): Promise<[unknown[], unknown[]]> {
  const shown = [...(await device.bookmarks("limit=100"))].sort((a, b) => a.url.localeCompare(b.url));
  const items = (await user.items()).sort((a, b) => a.url.localeCompare(b.url));
  return [
    shown.map(({ id, url, title, is_archived }) => [id, url, title, is_archived]),
    items.map(({ item_id, url, title, state }) => [item_id, url, title, state === "1"]),
  ];
}

test("a list that is read again after changes is the list that get returns", async () => {
  const { user, device } = await newReadeckUser(service);
  await user.send({ new: [100, 101].map((n) => ({ url: urlOf(n) })) });
  for (let round = 0; round < 6; round++) {
    await user.send({ new: [0, 1, 2].map((n) => ({ url: urlOf(round + n) })), delete: [{ url: urlOf(round - 1) }] });
    await user.send({
      read: [{ url: urlOf(round) }],
      update_title: [{ url: urlOf(round + 1), title: `Round ${round}` }],
    });
    const [shown, items] = await lists(user, device);
    expect(shown).toEqual(items);
    if (round % 2) service.clock.advance(1);
  }
});
