// @ts-nocheck
import { defineConfig } from "vitest/config";

/** The suites that notice changes of the rules and of the DynamoDB store, without those that wait for faults. */
export default defineConfig({
  test: {
    // All of these tests run on DynamoDB.
    name: "dynamodb",
    include: ["tests/{core,exchange,readeck,store-dynamodb,wallabag}/**/*.test.ts", "tests/http/*.test.ts"],
    exclude: ["tests/store-dynamodb/faults.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 180_000,
    globalSetup: "tests/dynamodb.ts",
    setupFiles: "tests/end-of-file.ts",
  },
});
