// SPDX-License-Identifier: MIT

import { deadlineSignal, emptyTally, extendDeadline, runCall } from "@reading-list/core/call-scope.ts";
import { expect, test } from "vitest";

test("a call whose deadline has passed does not wait", () => {
  expect(runCall(emptyTally(), deadlineSignal, 0)?.aborted).toBe(true);
});

test("a call that moves its deadline keeps the signal that other code waits for", () => {
  runCall(emptyTally(), () => {
    const signal = deadlineSignal();
    expect(signal?.aborted).toBe(false);
    extendDeadline(0);
    expect(signal?.aborted).toBe(true);
    expect(deadlineSignal()).toBe(signal);
  });
});
