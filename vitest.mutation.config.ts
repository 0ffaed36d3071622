// @ts-nocheck
import { defineConfig } from "vitest/config";

/** The suites that notice changes of the rules and the store, without those that start processes or wait for faults. */
export default defineConfig({
  test: {
    include: ["tests/core/*.test.ts", "tests/store-dynamodb/**/*.test.ts"],
    testTimeout: 60_000,
    env: { POWERTOOLS_LOG_LEVEL: "SILENT" },
  },
});
