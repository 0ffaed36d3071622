// SPDX-License-Identifier: MIT

import { createProgress } from "@reading-list/ops/progress.ts";
import type { Terminal } from "@reading-list/ops/terminal.ts";
import { expect, test } from "vitest";

function shown(terminal: { isTTY: boolean; columns?: number }, done: number): string {
  let text = "";
  const stream = { ...terminal, write: (part: string) => (text += part) };
  createProgress(`reading ${"x".repeat(100)}`, stream as unknown as Terminal["stderr"]).show(done, 10);
  return text;
}

test("on a narrow terminal the count remains, within its width", () => {
  const line = shown({ isTTY: true, columns: 60 }, 5).slice("\r".length, -"\u001b[K".length);
  expect(line).toMatch(/^reading x+: 5 of 10, /);
  expect(line).toHaveLength(59);
});

test("without finished work, no remaining time is shown", () => {
  expect(shown({ isTTY: false }, 0)).toMatch(/: 0 of 10, 0\/s\n$/);
});
