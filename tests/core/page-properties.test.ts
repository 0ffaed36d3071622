// SPDX-License-Identifier: MIT

import { runs } from "@reading-list/testing/property-runs.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

test("consecutive pages of an unchanged list neither repeat nor skip an item, in the order of the whole list", async () => {
  const steps = fc.array(fc.record({ pause: fc.integer({ min: 0, max: 1 }), read: fc.boolean() }), { maxLength: 25 });
  await fc.assert(
    fc.asyncProperty(
      steps,
      fc.integer({ min: 1, max: 9 }),
      fc.constantFrom("", "unread", "read"),
      async (items, count, state) => {
        const user = await service.newUser();
        for (const [i, { pause, read }] of items.entries()) {
          const url = `http://example.com/${i}`;
          await user.send({ new: [{ url }], ...(read && { read: [{ url }] }) });
          service.clock.advance(pause);
        }
        const whole = await user.items({ state });
        expect(whole).toHaveLength(items.filter(({ read }) => state === "" || read === (state === "read")).length);
        const pages = [];
        for (let page = 1; page <= Math.ceil(items.length / count) + 1; page++) {
          pages.push(...(await user.items({ state, count, page })));
        }
        expect(pages).toEqual(whole);
        for (const [i, item] of whole.entries()) {
          expect(Number(item.time_updated)).toBeLessThanOrEqual(Number(whole[i - 1]?.time_updated ?? Infinity));
        }
      },
    ),
    runs(15),
  );
});
