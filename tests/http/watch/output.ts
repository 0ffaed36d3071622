// SPDX-License-Identifier: MIT

import { afterAll, beforeAll, beforeEach, vi } from "vitest";

/** Captures the output of this process while a file's tests run; returns what was written since the test began. */
export function captureOutput(): () => string {
  let output = "";
  const catchText = (text: unknown) => {
    output += String(text);
    return true;
  };
  beforeAll(() => {
    for (const stream of [process.stdout, process.stderr]) vi.spyOn(stream, "write").mockImplementation(catchText);
    for (const method of ["log", "info", "warn", "error", "debug"] as const) {
      vi.spyOn(console, method).mockImplementation(catchText);
    }
  });
  beforeEach(() => {
    output = "";
  });
  afterAll(() => {
    vi.restoreAllMocks();
  });
  return () => output;
}

/** The lines of an output. Each must be JSON. */
export const linesOf = (output: string): Record<string, unknown>[] =>
  output.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
