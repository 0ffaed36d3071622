import { defineConfig } from "vitest/config";
import { findDynamodbLocal } from "./packages/local/database-program.ts";

/** Tests that also run on AWS's own DynamoDB Local, as a second opinion: those whose result depends on the database. */
const onTwoDatabases = [
  "tests/http/{items,sync,deletions,keys-users-limits}.test.ts",
  "tests/store/**/*.test.ts",
  "tests/properties/{sync,send-model,pages}.test.ts",
];
/** Their subject is the service's use of its clock, its cache, and failures that the test makes. */
const onOneDatabase = ["tests/store/{clock-lead,faults,unknown-api-keys}.test.ts"];
const common = {
  // Generous, because a busy machine must not fail a test; no test asserts how long it takes.
  testTimeout: 60_000,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 50_000 } },
  env: { POWERTOOLS_LOG_LEVEL: "SILENT" },
  // Loading and compiling the code anew for each file would take a third of the CPU time.
  isolate: false,
  setupFiles: "tests/end-of-file.ts",
};

const dynamodbLocal = {
  test: {
    name: "dynamodb-local",
    include: onTwoDatabases,
    exclude: onOneDatabase,
    globalSetup: "tests/dynamodb-local.ts",
    ...common,
  },
};
const hasDynamodbLocal = findDynamodbLocal() !== undefined;
if (!hasDynamodbLocal) console.warn("SKIPPED: the suites on DynamoDB Local, as there is no Java on this machine");

export default defineConfig({
  test: {
    // More than there are cores, because many files wait: for faults, locks and deadlines.
    maxWorkers: 3,
    coverage: {
      provider: "v8",
      include: ["packages/{core,store,functions,local,ops,exchange}/**/*.ts"],
      reporter: ["text-summary", "json-summary"],
      thresholds: { lines: 96, branches: 88 },
    },
    projects: [
      { test: { name: "unit", include: ["tests/{unit,reader,exchange}/**/*.test.ts"], ...common } },
      {
        test: {
          name: "http",
          include: [
            "tests/{http,store,properties,client,extension,faults,fuzz,local,openapi,ops,reference}/**/*.test.ts",
            "tests/{self-hosting,watch,web}/**/*.test.ts",
          ],
          ...common,
        },
      },
      { test: { name: "stacks", include: ["tests/{stacks,bundles}/**/*.test.ts"], ...common } },
      ...(hasDynamodbLocal ? [dynamodbLocal] : []),
    ],
  },
});
