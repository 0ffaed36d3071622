// @ts-nocheck
import { defineConfig } from "vitest/config";

/** The suites that notice changes of the rules and the store, without those that start processes or wait for faults. */
export default defineConfig({
  test: {
    include: [
      "tests/unit/**/*.test.ts",
      "tests/store/**/*.test.ts",
      "tests/http/{items,sync,deletions,keys-users-limits}.test.ts",
    ],
    testTimeout: 60_000,
    env: { POWERTOOLS_LOG_LEVEL: "SILENT" },
  },
});
