// SPDX-License-Identifier: MIT

import type { TestUser } from "@reading-list/testing/client.ts";
import { runs } from "@reading-list/testing/property-runs.ts";
import { SyncingReadeckDevice } from "@reading-list/testing/readeck-device.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { newReadeckUser } from "./user.ts";

let service: TestService;

beforeAll(async () => {
  service = await startTestService({ PUBLIC_KEY_ADDRESS_LIMIT: "100000" });
});

const urlOf = (page: number) => `https://example.com/${page}`;

/** The list as `get` returns it, in the form of a copy. */
async function listOf(user: TestUser) {
  const items = await user.items();
  return new Map(items.map((item) => [item.item_id, [item.url, item.title, item.state === "1", item.tags]]));
}

test("a device that syncs while others write has the list in the end, even if its clock is a minute ahead", async () => {
  const kinds: Record<string, (url: string, n: number) => Record<string, unknown>> = {
    add: (url) => ({ new: [{ url }] }),
    delete: (url) => ({ delete: [{ url }] }),
    archive: (url) => ({ read: [{ url }] }),
    tag: (url, n) => ({ update_tags: [{ url, tags: `t${n}` }] }),
    retitle: (url, n) => ({ update_title: [{ url, title: `T${n}` }] }),
  };
  const write = fc.record({ kind: fc.constantFrom(...Object.keys(kinds)), page: fc.nat(5), seconds: fc.nat(40) });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(write, { maxLength: 4 }), { maxLength: 6 }), async (rounds) => {
      const { user, device } = await newReadeckUser(service);
      const syncing = new SyncingReadeckDevice(device, () => service.clock.now() + 59_000);
      for (const [n, writes] of rounds.entries()) {
        const send = async () => {
          for (const { kind, page, seconds } of writes) {
            await user.send(kinds[kind]?.(urlOf(page), n) ?? {});
            service.clock.advance(seconds / 10);
          }
        };
        await Promise.all([send(), syncing.sync()]);
      }
      await syncing.sync();
      const copy = [...syncing.copy.values()].map(({ id, url, title, is_archived, labels }) => [
        id,
        [url, title, is_archived, labels.join()],
      ]);
      expect(new Map(copy as [string, unknown[]][])).toEqual(await listOf(user));
    }),
    runs(25),
  );
});

test("a sync without since, or with one from before deletions are kept, lists all bookmarks", async () => {
  const { user, device } = await newReadeckUser(service);
  await user.send({ new: [1, 2, 3].map((n) => ({ url: urlOf(n) })) });
  await user.send({ delete: [{ url: urlOf(2) }] });
  const time = new Date(service.clock.now()).toISOString().replace(/\.\d+/, "");
  const ids = (await user.items()).map(({ item_id: id }) => ({ id, time, type: "update" }));
  service.clock.advance(91 * 86_400);
  for (const query of ["", "?since=", `?since=${time}`]) {
    expect(JSON.parse((await device.call("GET", `bookmarks/sync${query}`)).body)).toEqual(ids);
  }
});

test("a sync with a since from before deletions are kept lists all bookmarks, and the deletions that are known", async () => {
  const { user, device } = await newReadeckUser(service);
  await user.send({ new: [1, 2].map((n) => ({ url: urlOf(n) })) });
  const [gone] = await user.items();
  await user.send({ delete: [{ url: String(gone?.url) }] });
  const entries = (await device.call("GET", "bookmarks/sync?since=2020-01-01T00:00:00Z")).body;
  expect(JSON.parse(entries)).toHaveLength(2);
  expect(JSON.parse(entries)).toContainEqual(expect.objectContaining({ id: gone?.item_id, type: "delete" }));
});
