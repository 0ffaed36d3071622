// SPDX-License-Identifier: MIT

import { chooseChangeTime, chooseSyncTime, secondsToWait } from "@reading-list/core/domain/user-clock.ts";
import fc from "fast-check";
import { expect, test } from "vitest";

const time = fc.integer({ min: 0, max: 100 });

test("a change is after every returned since, and a since is not before any change, whatever the machines' clocks are", () => {
  fc.assert(
    fc.property(fc.array(fc.record({ isChange: fc.boolean(), now: time })), (steps) => {
      const clock = { lastSince: 0, changedAt: 0, highlightsAt: 0, keptAt: 0 };
      for (const { isChange, now } of steps) {
        if (isChange) {
          const changed = chooseChangeTime(now, clock);
          expect(changed).toBeGreaterThan(clock.lastSince);
          expect(changed).toBeGreaterThanOrEqual(clock.changedAt);
          clock.changedAt = changed;
        } else {
          const since = chooseSyncTime(now, clock);
          expect(since).toBeGreaterThanOrEqual(Math.max(clock.changedAt, clock.lastSince));
          clock.lastSince = since;
        }
      }
    }),
  );
});

test("changes and since follow the machine's clock if it is ahead", () => {
  expect(chooseChangeTime(50, { lastSince: 10, changedAt: 20, highlightsAt: 0, keptAt: 0 })).toBe(50);
  expect(chooseSyncTime(50, { lastSince: 10, changedAt: 20, highlightsAt: 0, keptAt: 0 })).toBe(50);
});

test.each([
  [600, 0],
  [601, 1],
  [1200, 600],
  [1201, 0],
])("a change whose time is %i seconds ahead of the wall clock waits %i seconds", (lead, seconds) => {
  expect(secondsToWait(50, { lastSince: 49 + lead, changedAt: 0, highlightsAt: 0, keptAt: 0 })).toBe(seconds);
});
