// SPDX-License-Identifier: MIT

import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { apis, signOn } from "@reading-list/core/contract/apis.ts";
import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { readSettings } from "@reading-list/settings/settings.ts";
import { beforeAll, describe, expect, test } from "vitest";
import { readStageSettings } from "../../stacks/settings.ts";
import { secretOf } from "./account.ts";
import { componentOf, type Evaluation, evaluateStacks, resourcesOf } from "./evaluate.ts";

/** Seconds that a function has at least, and below, if it does not answer calls. */
const timeouts: Record<string, [number, number]> = {
  MainApiUnrouted: [5, 30],
  TextApiUnrouted: [5, 30],
  extraction: [26, 29],
  imaging: [26, 29],
  deletions: [290, 301],
  indexing: [880, 901],
  keeping: [290, 301],
  probe: [171, 181],
  canary: [660, 901],
};

const calls = [...endpoints, ...apis, signOn];
const names = [
  ...calls.map(({ name }) => name),
  "MainApiHealth",
  "TextApiHealth",
  "picture",
  "shared",
  ...Object.keys(timeouts),
];

/** The functions that check proofs of passwords, or signatures. */
const withSecret = new Set(["picture", ...calls.filter(({ caller }) => caller === "user").map(({ name }) => name)]);

const prefix = "reading-list-production-";
const account = "eu-west-1:123456789012";
let evaluation: Evaluation;

beforeAll(async () => {
  evaluation = await evaluateStacks("production", {
    ALARM_EMAIL: "ops@example.com",
    RELEASE: "v1",
    USER_LIMIT: "77",
    ARTICLE_QUOTA_MB: "9",
    BASE_DOMAIN: "api.example.com",
    WEB_API_KEY: "the-key-of-the-reader",
    OIDC_ONLY: "1",
    OIDC_ISSUER: "https://login.example.com",
    OIDC_CLIENT_ID: "list",
    OIDC_CLIENT_SECRET: "a secret",
  });
});

interface FunctionInputs {
  name: string;
  timeout: number;
  reservedConcurrentExecutions?: number;
  ephemeralStorage?: { size: number };
  environment: { variables: Record<string, string> };
}

const functions = () => resourcesOf(evaluation, "lambda/function:Function");
const inputsOf = (name: string) =>
  functions().find(({ inputs }) => inputs.name === prefix + name)?.inputs as unknown as FunctionInputs;

interface Statement {
  actions: string[];
  resources: string[];
  conditions?: { variable: string }[];
}

/** The statements of a function's role for a service, such as `s3`. */
function permissionsOf(name: string, service: string): Statement[] {
  const component = componentOf(name);
  const role = resourcesOf(evaluation, "iam/role:Role").find((each) => each.name === `${component}Role`);
  return ((role?.inputs.inlinePolicies ?? []) as { policy: string }[])
    .flatMap(({ policy }) => JSON.parse(policy) as Statement[])
    .filter(({ actions }) => actions.some((action) => action.startsWith(`${service}:`)))
    .map(({ actions, resources, conditions }) => ({ actions, resources, ...(conditions && { conditions }) }));
}

test("there is one function for each endpoint, two for each host, one that shows pictures, one that shows what is shared, one that reads pages, one that reads pictures, one that keeps both, one that stores search indexes, one that continues deletions, one that uses the stage as an app does, and a canary", () => {
  expect(
    functions()
      .map(({ inputs }) => String(inputs.name).replace(prefix, ""))
      .sort(),
  ).toEqual(names.toSorted());
});

test("the written module of each endpoint passes all ports that the contract grants: it compiles", () => {
  const project = ".sst/handlers/tsconfig.json";
  const modules = endpoints.map(({ name }) => `./${name}.ts`);
  const include = [...modules, "../../packages/article/**/*.d.ts"];
  writeFileSync(project, JSON.stringify({ extends: "../../tsconfig.base.json", include, exclude: [] }));
  const { stdout, status } = spawnSync("node_modules/.bin/tsc", ["-p", project], { encoding: "utf8" });
  expect({ stdout, status }).toEqual({ stdout: "", status: 0 });
});

describe.each(names)("the function %s", (name) => {
  test("has the reserved concurrency of the settings, and else the account's", () => {
    const { reservedConcurrency } = readStageSettings("production", { ALARM_EMAIL: "ops@example.com" });
    const reserved = (reservedConcurrency as Record<string, number>)[name];
    expect(inputsOf(name).reservedConcurrentExecutions).toBe(reserved);
  });

  test("has more time than the deadline of its code (27 s), and less than API Gateway waits (30 s)", () => {
    const { timeout } = inputsOf(name);
    const [least, below] = timeouts[name] ?? [29, 30];
    expect(timeout).toBeGreaterThanOrEqual(least);
    expect(timeout).toBeLessThan(below);
  });

  test("runs on the processor of its binaries and the Node of the tests, and writes a line of JSON for each call", () => {
    expect(inputsOf(name)).toMatchObject({
      architectures: ["arm64"],
      runtime: `nodejs${process.versions.node.split(".")[0]}.x`,
      loggingConfig: { logFormat: "JSON", systemLogLevel: "WARN", applicationLogLevel: "INFO" },
    });
    const { properties } = evaluation.builds.find((build) => build.functionID === componentOf(name)) ?? {};
    expect(properties).toMatchObject({ architecture: "arm64", minify: true, sourcemap: true });
  });

  test("may write to its own log, which is kept for 90 days, and to no other", () => {
    const log = `/aws/lambda/${prefix}${name}`;
    expect(inputsOf(name)).toMatchObject({ loggingConfig: { logGroup: log } });
    const groups = resourcesOf(evaluation, "cloudwatch/logGroup:LogGroup").filter(({ inputs }) => inputs.name === log);
    expect(groups).toMatchObject([{ inputs: { retentionInDays: 90 } }]);
    expect(permissionsOf(name, "logs")).toEqual([
      {
        actions: ["logs:CreateLogStream", "logs:PutLogEvents"],
        resources: [`arn:aws:logs:${account}:log-group:${log}:*`],
      },
    ]);
  });

  // The suite of bundles shows that each grant is needed, and enough.
  test("may use the buckets and functions that its variables name, and no others, and of the table some kinds of records", () => {
    if (name === "canary") return;
    const { TABLE_NAME, TEXT_BUCKET, ARTICLE_BUCKET, PICTURE_BUCKET, SEARCH_BUCKET, ...variables } =
      inputsOf(name).environment.variables;
    const { EXTRACTION_FUNCTION, IMAGING_FUNCTION, INDEXING_FUNCTION } = variables;
    const bucketsIn = permissionsOf(name, "s3").flatMap(({ resources }) =>
      resources.map((resource) => /^arn:aws:s3:::([^/]+)(?:\/(?:\w+\/)?\*)?$/.exec(resource)?.[1]),
    );
    const given = <Value>(values: (Value | undefined)[]) => new Set(values.filter((value) => value !== undefined));
    expect(new Set(bucketsIn)).toEqual(given([TEXT_BUCKET, ARTICLE_BUCKET, PICTURE_BUCKET, SEARCH_BUCKET]));
    const called = permissionsOf(name, "lambda");
    expect(new Set(called.flatMap(({ resources }) => resources))).toEqual(
      given([EXTRACTION_FUNCTION, IMAGING_FUNCTION, INDEXING_FUNCTION]),
    );
    expect(called.every(({ actions }) => actions.join() === "lambda:InvokeFunction")).toBe(true);
    const ofTable = permissionsOf(name, "dynamodb");
    expect(ofTable.length > 0).toBe(TABLE_NAME !== undefined);
    const isNarrow = ({ conditions = [] }: Statement) => conditions[0]?.variable === "dynamodb:LeadingKeys";
    expect(ofTable.every(isNarrow)).toBe(true);
  });

  test("may delete no version of an object: the lifecycle of the bucket does", () => {
    expect(JSON.stringify(permissionsOf(name, "s3"))).not.toMatch(/Version|s3:\*/);
  });

  test("has the settings of the stage, and the secret of proofs if it checks them", () => {
    const { variables } = inputsOf(name).environment;
    expect(readSettings(variables)).toMatchObject({
      service: { userLimit: 77, keyLimit: 10_000, listLimit: 100_000, articleQuota: 9_000_000, textsAtOnce: 25 },
      apiHost: name.startsWith("TextApiUn") ? "text" : "main",
      proofSecret: withSecret.has(name) ? secretOf("ProofSecret") : undefined,
      edgeSecret: undefined,
      metricNamespace: "reading-list/production",
      ...(variables.TABLE_NAME && { tableName: resourcesOf(evaluation, "dynamodb/table:Table")[0]?.inputs.name }),
    });
    expect(variables.RELEASE).toBe("v1");
  });

  test("is called through the alias live, which a deployment points to its new version", () => {
    const alias = { name: "live", functionName: prefix + name, functionVersion: "7" };
    const aliases = resourcesOf(evaluation, "lambda/alias:Alias").filter(
      ({ inputs }) => inputs.functionName === prefix + name,
    );
    expect(aliases).toMatchObject([{ inputs: alias }]);
    expect(inputsOf(name)).toMatchObject({ publish: true });
  });

  test("has a role that only Lambda can assume, without a managed policy", () => {
    const component = componentOf(name);
    const roles = resourcesOf(evaluation, "iam/role:Role").filter((each) => each.name === `${component}Role`);
    expect(roles).toMatchObject([
      {
        inputs: {
          managedPolicyArns: [],
          assumeRolePolicy: { Statement: [{ Principal: { Service: "lambda.amazonaws.com" } }] },
        },
      },
    ]);
  });
});

describe("the canary", () => {
  const ofOthers = () => functions().filter(({ inputs }) => inputs.name !== `${prefix}canary`);
  const runOf = (each: Evaluation) => {
    const [run, ...steps] = resourcesOf(each, "lambda/invocation:Invocation");
    // The steps that raise the data version, each as long as the function may run.
    expect(steps.map(({ inputs }) => JSON.parse(String(inputs.input)).finish)).toEqual(["wait", "raise"]);
    return run?.inputs as { functionName: string; qualifier: string; input: string };
  };

  test("runs in its new version at the end of a deployment, and moves every function: a tenth of the calls for 5 minutes", () => {
    const { input, ...run } = runOf(evaluation);
    expect(run).toEqual({ functionName: `${prefix}canary`, qualifier: "7" });
    const versions = Object.fromEntries(ofOthers().map(({ inputs }) => [inputs.name, "7"]));
    expect(JSON.parse(input)).toEqual({ versions, seconds: 300 });
  });

  test("moves the functions of a stage for trials at once", async () => {
    expect(JSON.parse(runOf(await evaluateStacks("dev-ann")).input)).toMatchObject({ seconds: 0 });
  });

  test("owns every alias except its own: a deployment keeps versions and weights", () => {
    for (const { inputs, ignoreChanges } of resourcesOf(evaluation, "lambda/alias:Alias")) {
      const isOwn = inputs.functionName === `${prefix}canary`;
      expect(ignoreChanges).toEqual(isOwn ? [] : ["functionVersion", "routingConfig"]);
    }
  });

  test("may move aliases, delete versions but no function, and read metrics, and has only the table's settings", () => {
    const moved = ofOthers().map(({ inputs }) => `arn:aws:lambda:${account}:function:${inputs.name}`);
    const all = [...moved, `arn:aws:lambda:${account}:function:${prefix}canary`];
    const equal = (wanted: string[]) =>
      expect.toSatisfy((arns: string[]) => arns.toSorted().join() === wanted.toSorted().join());
    expect(permissionsOf("canary", "lambda")).toEqual([
      { actions: ["lambda:GetAlias", "lambda:UpdateAlias"], resources: equal(moved) },
      { actions: ["lambda:ListVersionsByFunction", "lambda:ListAliases"], resources: equal(all) },
      { actions: ["lambda:DeleteFunction"], resources: equal(all.map((arn) => `${arn}:*`)) },
    ]);
    expect(permissionsOf("canary", "cloudwatch")).toEqual([
      { actions: ["cloudwatch:GetMetricData"], resources: ["*"] },
    ]);
  });
});

test("deletions of accounts are continued every five minutes, search indexes stored again twice a day, pages kept each minute, and the stage tested like an app every five minutes, by nobody else", () => {
  const schedules = resourcesOf(evaluation, "scheduler/schedule:Schedule");
  const names = ["Deletion", "Index", "Keeping", "Probe"].map((name) => `${name}ScheduleSchedule`);
  expect(schedules.map(({ name }) => name).sort()).toEqual(names);
  const [schedule, ofIndexes, ofKeeping, ofProbe] = names.map((name) => schedules.find((each) => each.name === name));
  expect(ofProbe?.inputs).toMatchObject({
    scheduleExpression: "rate(5 minutes)",
    target: { arn: `arn:aws:lambda:${account}:function:${prefix}probe:live` },
  });
  expect(ofKeeping?.inputs).toMatchObject({
    scheduleExpression: "rate(1 minute)",
    target: { arn: `arn:aws:lambda:${account}:function:${prefix}keeping:live` },
  });
  const live = `arn:aws:lambda:${account}:function:${prefix}deletions:live`;
  expect(schedule?.inputs).toMatchObject({
    scheduleExpression: "rate(5 minutes)",
    state: "ENABLED",
    target: { arn: live, roleArn: "arn:aws:other:eu-west-1:123456789012:DeletionScheduleRole" },
  });
  expect(ofIndexes?.inputs).toMatchObject({
    scheduleExpression: "rate(1 hour)",
    target: { arn: live, input: '{"storesIndexes":true}' },
  });
  const role = resourcesOf(evaluation, "iam/role:Role").find(({ name }) => name === "DeletionScheduleRole");
  const [{ policy } = { policy: "" }] = (role?.inputs.inlinePolicies ?? []) as { policy: string }[];
  expect(JSON.parse(policy)).toMatchObject([{ actions: ["lambda:InvokeFunction"], resources: [live] }]);
});
