// SPDX-License-Identifier: MIT

import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { findDynamodb, findDynamodbLocal } from "./packages/testing/dynamodb.ts";
import { bundleWorker } from "./tests/bundled-worker.ts";
import { onDynamodbLocal, onEachDatabase, parts } from "./tests/parts.ts";

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

/** The longest file is one of the bundles: it begins first, and short files end the run. */
class StacksFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isOfStacks = ({ project }: TestSpecification) => project.name === "stacks" || project.name === "bundles";
    return [...sorted.filter(isOfStacks), ...sorted.filter((file) => !isOfStacks(file))];
  }
}

const plugins = [await bundleWorker()];
const hasDynamodb = findDynamodb() !== undefined;
const hasDynamodbLocal = findDynamodbLocal() !== undefined;
const skipped = [...configDefaults.exclude, ...(hasDynamodb ? [] : withDynamodb)];
type Options = NonNullable<TestProjectInlineConfiguration["test"]>;
const project = (name: string, include: string[], { exclude = [], ...options }: Options = {}) => ({
  plugins,
  test: { name, include, exclude: [...exclude, ...skipped], globalSetup: "tests/dynamodb.ts", ...common, ...options },
});
const ofStacks = {
  globalSetup: ["tests/dynamodb.ts", "tests/stacks/setup.ts"],
  testTimeout: 600_000,
  hookTimeout: 600_000,
};
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
      project("service", ["tests/**/*.test.ts"], { exclude: ["tests/stacks/**", ...Object.values(parts).flat()] }),
      project("stacks", ["tests/stacks/*.test.ts"], { exclude: parts.slow, ...ofStacks }),
      ...(hasDynamodb ? [project("dynamodb", onEachDatabase.quick)] : []),
      project("slow", parts.slow, ofStacks),
      ...(hasDynamodb ? [project("dynamodb-slow", onEachDatabase.slow)] : []),
      // A page of a browser is loaded late now and then: a test that fails is run once more, and the report names it.
      project("browsers", parts.browsers, { retry: 1 }),
      project("bundles", parts.bundles, ofStacks),
      ...(hasDynamodbLocal ? [project("dynamodb-local", onDynamodbLocal)] : []),
    ],
  },
});
