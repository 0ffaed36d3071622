// SPDX-License-Identifier: MIT

type Cleanup = () => unknown;

const cleanups: Cleanup[] = [];

/**
 * Runs a cleanup after the tests of this file, the last one first. For hooks and what they call: Vitest ignores an
 * `afterAll` that is called while tests run.
 */
export const atEndOfFile = (cleanup: Cleanup): void => void cleanups.push(cleanup);

/** Runs the cleanups of a file (tests/end-of-file.ts). */
export async function runCleanups(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
}
