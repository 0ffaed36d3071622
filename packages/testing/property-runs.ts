// SPDX-License-Identifier: MIT

import { inject } from "vitest";

/** PROPERTY_RUNS=10 makes the property tests ten times as long. */
const factor = Number(process.env.PROPERTY_RUNS ?? 1);

/**
 * The length of a property test: `usual` runs, but a third of them on DynamoDB Local, which is a second opinion. On a
 * slow machine the usual runs end after 60 s, because fast-check fails a property if no run of it has ended.
 */
export function runs(usual: number): { numRuns: number; interruptAfterTimeLimit?: number } {
  const numRuns = Math.ceil((usual * factor) / (inject("dynamodbEndpoint") ? 3 : 1));
  return factor > 1 ? { numRuns } : { numRuns, interruptAfterTimeLimit: 60_000 };
}
