// SPDX-License-Identifier: MIT

import { deadlineSignal, emptyTally, extendDeadline, runCall } from "@reading-list/core/call-scope.ts";
import { expect, test } from "vitest";

test("a call that first waits after its deadline does not wait", () => {
  expect(runCall(emptyTally(), deadlineSignal, 0)?.aborted).toBe(true);
});

test("a call that moves its deadline keeps the signal that others wait with", () => {
  runCall(emptyTally(), () => {
    const signal = deadlineSignal();
    expect(signal?.aborted).toBe(false);
    extendDeadline(0);
    expect(signal?.aborted).toBe(true);
    expect(deadlineSignal()).toBe(signal);
  });
});
