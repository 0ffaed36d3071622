import { defineConfig } from "vitest/config";
import { findDynamodbLocal } from "./packages/local/database-binary.ts";

/** What every DynamoDB must satisfy: run on the embedded database and, as a second opinion, on AWS's own. */
const onDatabase = ["tests/http/**/*.test.ts", "tests/store/**/*.test.ts", "tests/properties/**/*.test.ts"];
const common = {
  testTimeout: 60_000,
  hookTimeout: 60_000,
  env: { POWERTOOLS_LOG_LEVEL: "SILENT", POWERTOOLS_METRICS_DISABLED: "true" },
};

const dynamodbLocal = {
  test: { name: "dynamodb-local", include: onDatabase, globalSetup: "tests/dynamodb-local.ts", ...common },
};
const hasDynamodbLocal = findDynamodbLocal() !== undefined;
if (!hasDynamodbLocal) console.warn("SKIPPED: the suites on DynamoDB Local, as there is no Java on this machine");

export default defineConfig({
  test: {
    projects: [
      { test: { name: "unit", include: ["tests/unit/**/*.test.ts", "tests/reader/**/*.test.ts"], ...common } },
      {
        test: { name: "http", include: [...onDatabase, "tests/{faults,fuzz,local,ops,watch}/**/*.test.ts"], ...common },
      },
      { test: { name: "stacks", include: ["tests/{stacks,bundles}/**/*.test.ts"], ...common } },
      ...(hasDynamodbLocal ? [dynamodbLocal] : []),
    ],
  },
});
