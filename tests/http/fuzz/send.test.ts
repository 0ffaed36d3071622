// SPDX-License-Identifier: MIT

import { get } from "@reading-list/core/contract/get.ts";
import { send } from "@reading-list/core/contract/send.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { parseXml } from "@reading-list/testing/parse-xml.ts";
import { runs } from "@reading-list/testing/property-runs.ts";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { type FuzzedService, startFuzzedService } from "./fuzzed-service.ts";
import { requestOf, urlencoded, writeForm } from "./requests.ts";
import { entryLists } from "./values.ts";

let fuzzed: FuzzedService;
let user: TestUser;

beforeAll(async () => {
  fuzzed = await startFuzzedService();
  user = await fuzzed.newUser();
});

const lists = fc.record(
  { new: entryLists, read: entryLists, update_title: entryLists, update_tags: entryLists },
  { requiredKeys: [] },
);

test("a send of any JSON is applied or refused as a whole, and the list can still be read", async () => {
  await fc.assert(
    fc.asyncProperty(lists, async (sent) => {
      fuzzed.service.clock.advance(1);
      const before = await user.items();
      const givens = Object.entries(sent).map(([name, value]) => ({ name, value }));
      const body = writeForm([...fuzzed.givensOf(user), ...givens], true);
      const { status } = await fuzzed.call(
        send,
        requestOf(send, [], { headers: [["content-type", urlencoded]], body }),
      );
      const after = await user.items();
      if (status === 400) expect(after).toEqual(before);

      const form = { name: "format", value: "xml" };
      const xml = await fuzzed.call(get, requestOf(get, [...fuzzed.givensOf(user), form]));
      const shown = parseXml(xml.body).children.find(({ name }) => name === "list")?.children;
      expect(shown).toHaveLength(after.length);
      for (const item of after) for (const value of Object.values(item)) expect(value).toBeTypeOf("string");
    }),
    runs(80),
  );
  await fuzzed.expectAlive(user);
});
