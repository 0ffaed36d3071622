// SPDX-License-Identifier: MIT

import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { findDynamodb, findDynamodbLocal } from "./packages/testing/dynamodb.ts";
import { bundleWorker } from "./tests/bundled-worker.ts";

/**
 * Tests whose result depends on the database: they run on SQLite, and on a DynamoDB: AWS's own DynamoDB Local if it is
 * installed and the file is in the list below, else the embedded one.
 */
const onEachDatabase = [
  "tests/core/{trash,progress,highlights,items,counted-items,item-numbers,kept-articles,kept-pages,kept-pictures,sync,deletions,account,signup,app-passwords,scopes,keys-users-limits,list-walks,restored-lists}.test.ts",
  "tests/core/{send-model,page-properties,highlight-properties}.test.ts",
  "tests/system/belongings-model.test.ts",
  "tests/ops/{archives,articles-keep,doctor-of-lists,highlights-in-files,import-texts,trash,users,keys,repair-clock}.test.ts",
  "tests/protocols/{oidc,feeds/feeds,feeds/secret,kobo/items,mcp/tools,opds/catalog,readeck/pages,readeck/oauth/*}.test.ts",
  "tests/protocols/wallabag/{annotations,sync}.test.ts",
];
/** The subject of the others is the clock, the cache, and failures that the test makes; or they are long random runs. */
const storeSuites = "tests/store-dynamodb/!(clock-lead|faults|import-storm|unknown-api-keys).test.ts";
/**
 * Tests for AWS's own DynamoDB Local: each command that the store sends, with each of its conditions, is in one of them.
 * The others, random models among them, send the same commands to the embedded one, which is several times as fast.
 */
const onDynamodbLocal = [
  storeSuites,
  "tests/core/{trash,highlights,items,counted-items,item-numbers,kept-articles,kept-pictures,sync,deletions,account,app-passwords,keys-users-limits,restored-lists}.test.ts",
  "tests/ops/{archives,articles-keep,doctor-of-lists,users,keys,repair-clock,recount,export,move}.test.ts",
  "tests/protocols/{readeck/oauth/attacks,wallabag/annotations}.test.ts",
];
/** A page of a browser is loaded late now and then: a test that fails is run once more, and the report names it. */
const inBrowsers = ["tests/web/*-in-browsers.test.ts", "tests/extension/*.test.ts"];
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
  expect: { poll: { timeout: 40_000 } },
  // Loading and compiling the code anew for each file would take a third of the CPU time.
  isolate: false,
  setupFiles: "tests/end-of-file.ts",
};

/** The longest file is one of the stacks: it begins first, and short files end the run. */
class StacksFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isOfStacks = ({ project }: TestSpecification) => project.name === "stacks";
    return [...sorted.filter(isOfStacks), ...sorted.filter((file) => !isOfStacks(file))];
  }
}

const plugins = [await bundleWorker()];
const setup = { globalSetup: "tests/dynamodb.ts", ...common };
const hasDynamodb = findDynamodb() !== undefined;
const hasDynamodbLocal = findDynamodbLocal() !== undefined;
const skipped = [...configDefaults.exclude, ...(hasDynamodb ? [] : withDynamodb)];
/** DynamoDB Local takes the place of the embedded database. */
const [notInService, notEmbedded] = hasDynamodbLocal ? [[storeSuites], onDynamodbLocal] : [[], []];
if (!hasDynamodb) console.warn("SKIPPED: the tests of the DynamoDB store, as @dynoxide/linux-x64 is not installed");
if (!hasDynamodbLocal) console.warn("SKIPPED: the suites on DynamoDB Local; see .ci/install-dynamodb-local");

export default defineConfig({
  test: {
    // More than there are cores, because many files wait: for faults, locks and deadlines.
    maxWorkers: 3,
    sequence: { sequencer: StacksFirst },
    coverage: {
      provider: "v8",
      include: ["packages/*/**/*.{ts,tsx}"],
      // The suites of the web reader and the extension run their bundles in browsers.
      exclude: ["packages/{testing,web,extension}/**", "packages/*/build.ts", "**/*.d.ts", "**/dist/**"],
      reporter: ["text-summary", "json-summary"],
      thresholds: {
        "packages/{core,store-dynamodb,store-sqlite,http,lambda,local,ops,exchange}/**": { lines: 96, branches: 88 },
        "packages/{protocols,reference}/**": { lines: 96, branches: 86 },
        "packages/{client,settings}/**": { lines: 74, branches: 71 },
        // Much of these runs in worker processes and in bundles.
        "packages/article/**": { lines: 78, branches: 72 },
        "packages/canary/**": { lines: 65, branches: 65 },
      },
    },
    projects: [
      {
        plugins,
        test: {
          name: "service",
          include: ["tests/**/*.test.ts"],
          exclude: ["tests/stacks/**", ...inBrowsers, ...skipped, ...notInService],
          ...setup,
        },
      },
      { plugins, test: { name: "browsers", include: inBrowsers, retry: 1, ...setup } },
      ...(hasDynamodb
        ? [
            {
              plugins,
              test: { name: "dynamodb", include: onEachDatabase, exclude: [...skipped, ...notEmbedded], ...setup },
            },
          ]
        : []),
      {
        plugins,
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
              plugins,
              test: {
                name: "dynamodb-local",
                include: onDynamodbLocal,
                ...setup,
              },
            },
          ]
        : []),
    ],
  },
});
