// SPDX-License-Identifier: MIT

// @ts-nocheck
import { defineConfig } from "vitest/config";

/**
 * Suites that notice changes of a package, by the value of `MUTATION_SUITE`, without those that wait for faults or drive
 * browsers. All tests of a suite named `dynamodb` run on DynamoDB.
 */
const suites = {
  dynamodb: {
    name: "dynamodb",
    include: [
      "tests/{core,exchange,protocols,store-dynamodb}/**/*.test.ts",
      "tests/http/*.test.ts",
      "tests/web/conditions.test.ts",
    ],
    exclude: ["tests/store-dynamodb/faults.test.ts"],
  },
  sqlite: {
    name: "service",
    include: [
      "tests/{core,protocols,store-sqlite}/**/*.test.ts",
      "tests/web/conditions.test.ts",
      "tests/ops/{archives,backups,keys,move,repair-clock,trash,users}.test.ts",
    ],
    exclude: ["tests/store-sqlite/power-cuts.test.ts", "tests/core/openapi/**"],
  },
  http: { name: "service", include: ["tests/{core,http}/**/*.test.ts"], exclude: ["tests/core/openapi/**"] },
  article: {
    name: "service",
    include: ["tests/article/**/*.test.ts", "tests/http/{text,kinds-of-pages}.test.ts"],
    exclude: ["tests/article/**/*-in-chromium.test.ts", "tests/article/epubcheck.test.ts"],
  },
};

export default defineConfig({
  test: {
    ...suites[process.env.MUTATION_SUITE ?? "dynamodb"],
    testTimeout: 60_000,
    hookTimeout: 180_000,
    globalSetup: "tests/dynamodb.ts",
    setupFiles: "tests/end-of-file.ts",
  },
});
