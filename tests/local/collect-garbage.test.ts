// SPDX-License-Identifier: MIT

import { collectWhenIdle, lookMs } from "@reading-list/local/collect-garbage.ts";
import { expect, onTestFinished, test, vi } from "vitest";

test("garbage is collected when the service was idle for a minute, and again only after work", () => {
  vi.useFakeTimers({ toFake: ["setInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  let usedMs = 0;
  const collect = vi.fn(() => (usedMs += 500));
  collectWhenIdle(collect, () => usedMs);
  const pass = (seconds: number, msOfSecond: number) => {
    for (let i = 0; i < seconds; i++) {
      usedMs += msOfSecond;
      vi.advanceTimersByTime(1000);
    }
  };
  expect(lookMs).toBe(10_000);
  pass(600, 20);
  pass(59, 2);
  expect(collect).not.toHaveBeenCalled();
  pass(11, 2);
  expect(collect).toHaveBeenCalledTimes(2);
  pass(600, 2);
  expect(collect).toHaveBeenCalledTimes(2);
  pass(10, 20);
  pass(70, 2);
  expect(collect).toHaveBeenCalledTimes(4);
});
