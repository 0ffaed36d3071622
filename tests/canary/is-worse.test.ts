// SPDX-License-Identifier: MIT

import { isWorse } from "@reading-list/canary/is-worse.ts";
import { expect, test } from "vitest";

const tenth = 0.1;

test.each([
  // The first two failures at all are of the version with a tenth of the calls.
  { next: 2, former: 0 },
  { next: 3, former: 1 },
  { next: 12, former: 30 },
  { next: 1000, former: 0 },
  { next: 12_000, former: 100_000 },
])("a version with $next failures at a tenth of the calls is worse than one with $former at the rest", (failed) => {
  expect(isWorse(failed, tenth)).toBe(true);
});

test.each([
  { next: 0, former: 0 },
  { next: 0, former: 50 },
  // A single failure may be a coincidence.
  { next: 1, former: 0 },
  { next: 2, former: 1 },
  // The database fails both alike.
  { next: 10, former: 90 },
  { next: 1000, former: 9000 },
  { next: 100_000, former: 900_000 },
])("a version with $next failures at a tenth of the calls is not worse than one with $former at the rest", (failed) => {
  expect(isWorse(failed, tenth)).toBe(false);
});

test("while the database fails every hundredth call, 10 checks of an equal version rarely find it worse", () => {
  // A generator of numbers that repeats: every tenth failure is of the new version.
  let seed = 1;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  let wrong = 0;
  for (let release = 0; release < 500; release++) {
    const failed = { next: 0, former: 0 };
    const looks = Array.from({ length: 10 }, () => {
      for (let failure = 0; failure < 10; failure++) failed[random() < tenth ? "next" : "former"] += 1;
      return isWorse(failed, tenth);
    });
    if (looks.includes(true)) wrong += 1;
  }
  expect(wrong / 500).toBeLessThan(0.1);
});
