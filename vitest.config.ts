// SPDX-License-Identifier: MIT

import { configDefaults, defineConfig } from "vitest/config";
import { findDynamodb, findDynamodbLocal } from "./packages/testing/dynamodb.ts";

/** Tests whose result depends on the database: they run on SQLite, and on each DynamoDB that is installed. */
const onEachDatabase = [
  "tests/core/{trash,progress,highlights,items,counted-items,item-numbers,kept-articles,sync,deletions,account,app-passwords,keys-users-limits,list-walks}.test.ts",
  "tests/core/{send-model,page-properties,highlight-properties}.test.ts",
  "tests/ops/{archives,highlights-in-files,trash,users,keys,repair-clock}.test.ts",
  "tests/readeck/pages.test.ts",
  "tests/wallabag/sync.test.ts",
];
/** Tests on DynamoDB that also run on AWS's own DynamoDB Local, as a second opinion. */
const onBothDynamodbs = [
  "tests/store-dynamodb/**/*.test.ts",
  "tests/core/sync-properties.test.ts",
  "tests/ops/{recount,export,move}.test.ts",
];
/** Their subject is the service's use of its clock, its cache, and failures that the test makes. */
const onOneDynamodb = ["tests/store-dynamodb/{clock-lead,faults,unknown-api-keys}.test.ts"];
/** Tests that are skipped where no DynamoDB is installed. */
const withDynamodb = [
  "tests/store-dynamodb/**",
  "tests/core/{concurrent-logins,deep-pages,keys-users-limits,sync-properties}.test.ts",
  "tests/http/watch/**",
  "tests/ops/{databases,doctor-of-a-stage,export,imports,move,recount}.test.ts",
  "tests/stacks/bundles/*.test.ts",
  "tests/system/faults/{deadline,limits,storms}.test.ts",
];
const common = {
  // Generous, because a busy machine must not fail a test; no test asserts how long it takes.
  testTimeout: 120_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 14_000 } },
  // Loading and compiling the code anew for each file would take a third of the CPU time.
  isolate: false,
  setupFiles: "tests/end-of-file.ts",
};

const setup = { globalSetup: "tests/dynamodb.ts", ...common };
const hasDynamodb = findDynamodb() !== undefined;
const hasDynamodbLocal = findDynamodbLocal() !== undefined;
const skipped = [...configDefaults.exclude, ...(hasDynamodb ? [] : withDynamodb)];
if (!hasDynamodb) console.warn("SKIPPED: the tests of the DynamoDB store, as @dynoxide/linux-x64 is not installed");
if (!hasDynamodbLocal) console.warn("SKIPPED: the suites on DynamoDB Local; see .ci/install-dynamodb-local");

export default defineConfig({
  test: {
    // More than there are cores, because many files wait: for faults, locks and deadlines.
    maxWorkers: 3,
    coverage: {
      provider: "v8",
      include: ["packages/*/**/*.{ts,tsx}"],
      // The suites of the web reader and the extension run their bundles in browsers.
      exclude: ["packages/{testing,web,extension}/**", "packages/*/build.ts", "**/*.d.ts", "**/dist/**"],
      reporter: ["text-summary", "json-summary"],
      thresholds: {
        "packages/{core,store-dynamodb,store-sqlite,http,lambda,local,ops,exchange}/**": { lines: 96, branches: 88 },
        "packages/{readeck,wallabag,reference}/**": { lines: 96, branches: 86 },
        "packages/{client,settings}/**": { lines: 74, branches: 71 },
        // Much of these runs in worker processes and in bundles.
        "packages/article/**": { lines: 78, branches: 72 },
        "packages/canary/**": { lines: 65, branches: 65 },
      },
    },
    projects: [
      {
        test: { name: "service", include: ["tests/**/*.test.ts"], exclude: ["tests/stacks/**", ...skipped], ...setup },
      },
      ...(hasDynamodb ? [{ test: { name: "dynamodb", include: onEachDatabase, ...setup } }] : []),
      {
        test: {
          name: "stacks",
          include: ["tests/stacks/**/*.test.ts"],
          exclude: skipped,
          ...setup,
          globalSetup: ["tests/dynamodb.ts", "tests/stacks/setup.ts"],
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
      ...(hasDynamodbLocal
        ? [
            {
              test: {
                name: "dynamodb-local",
                include: [...onEachDatabase, ...onBothDynamodbs],
                exclude: onOneDynamodb,
                ...setup,
              },
            },
          ]
        : []),
    ],
  },
});
