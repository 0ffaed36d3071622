// SPDX-License-Identifier: MIT

import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { apis, signOn } from "@reading-list/core/contract/apis.ts";
import type { EndpointContract } from "@reading-list/core/contract/endpoint.ts";
import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { readSettings } from "@reading-list/settings/settings.ts";
import { beforeAll, describe, expect, test } from "vitest";
import { readStageSettings } from "../../stacks/settings.ts";
import { secretOf } from "./account.ts";
import { componentOf, type Evaluation, evaluateStacks, resourcesOf } from "./evaluate.ts";

/** The needs of a function; the promise of each is its test's name below. */
interface Need {
  name: string;
  /** In MB; a function has a whole core at 1,769. */
  memory: number;
  users?: boolean;
  /** Reads pages itself, or by the extraction function. */
  pages?: "own" | "remote" | undefined;
  articles?: "read" | "write" | "keep" | "delete" | "deleteAll";
  pictures?: EndpointContract["pictures"] | "read" | "store";
  /** Reads stored search indexes; or reads and writes them; or replaces those of deleted users. */
  indexes?: "read" | "store" | "close" | undefined;
  /** Calls the indexing function. */
  asksForIndexes?: boolean;
  table?: boolean;
  metrics?: boolean;
  /** At least, and below; in seconds. */
  timeout?: [number, number];
}

type NeededContract = Pick<EndpointContract, "name" | "host" | "caller" | "articles" | "pictures"> & { list?: string };

const needOf = ({ name, host, caller, articles, pictures, list }: NeededContract): Need => {
  const searches = list === "search";
  const pages = articles === "keep" ? "remote" : host === "text" && !list ? "own" : undefined;
  return {
    name,
    memory: pages === "own" || searches ? 1769 : caller === "application" ? 256 : 1024,
    users: caller === "user",
    pages,
    ...(articles && { articles }),
    ...(pictures && { pictures }),
    indexes: searches ? "read" : articles === "deleteAll" ? "close" : undefined,
    asksForIndexes: searches,
    table: true,
    metrics: true,
  };
};

const needs: Need[] = [
  ...endpoints.map((endpoint) => needOf(endpoint)),
  ...[...apis, signOn].map((api) => needOf(api)),
  ...["MainApi", "TextApi"].flatMap((api) => [
    { name: `${api}Unrouted`, memory: 128, timeout: [5, 30] as [number, number] },
    { name: `${api}Health`, memory: 256, table: true },
  ]),
  { name: "picture", memory: 256, users: true, pictures: "read", table: true, metrics: true },
  { name: "shared", memory: 512, articles: "read", pictures: "read", table: true, metrics: true },
  { name: "extraction", memory: 1769, pages: "own", timeout: [26, 29] },
  { name: "imaging", memory: 1024, timeout: [26, 29] },
  {
    name: "deletions",
    memory: 256,
    table: true,
    timeout: [290, 301],
    articles: "deleteAll",
    pictures: "deleteAll",
    indexes: "close",
    asksForIndexes: true,
  },
  { name: "indexing", memory: 1769, articles: "read", indexes: "store", table: true, timeout: [880, 901] },
  {
    name: "keeping",
    memory: 1769,
    pages: "remote",
    articles: "write",
    pictures: "store",
    table: true,
    timeout: [290, 301],
  },
  { name: "canary", memory: 256, table: true, metrics: true, timeout: [660, 901] },
];

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
}

/** The statements of a function's role for a service, such as `s3`. */
function permissionsOf(name: string, service: string): Statement[] {
  const component = componentOf(name);
  const role = resourcesOf(evaluation, "iam/role:Role").find((each) => each.name === `${component}Role`);
  return ((role?.inputs.inlinePolicies ?? []) as { policy: string }[])
    .flatMap(({ policy }) => JSON.parse(policy) as Statement[])
    .filter(({ actions }) => actions.some((action) => action.startsWith(`${service}:`)))
    .map(({ actions, resources }) => ({ actions, resources }));
}

const bucketOf = (name: string) =>
  String(resourcesOf(evaluation, "s3/bucket:Bucket").find((each) => each.name === name)?.inputs.bucket);

test("there is one function for each endpoint, two for each host, one that shows pictures, one that shows what is shared, one that reads pages, one that reads pictures, one that keeps both, one that stores search indexes, one that continues deletions, and a canary", () => {
  expect(
    functions()
      .map(({ inputs }) => String(inputs.name).replace(prefix, ""))
      .sort(),
  ).toEqual(needs.map(({ name }) => name).sort());
});

test("the written module of each endpoint passes all ports that the contract grants: it compiles", () => {
  const project = ".sst/handlers/tsconfig.json";
  const modules = endpoints.map(({ name }) => `./${name}.ts`);
  const include = [...modules, "../../packages/article/**/*.d.ts"];
  writeFileSync(project, JSON.stringify({ extends: "../../tsconfig.base.json", include, exclude: [] }));
  const { stdout, status } = spawnSync("node_modules/.bin/tsc", ["-p", project], { encoding: "utf8" });
  expect({ stdout, status }).toEqual({ stdout: "", status: 0 });
});

describe.each(needs)("the function $name", ({ name, memory, timeout: between = [29, 30], ...need }) => {
  const { users, pages, articles, pictures, indexes, asksForIndexes, table, metrics } = need;

  test("has a core to read pages and to search, most of one to verify passwords, and little memory for other calls", () => {
    expect(inputsOf(name)).toMatchObject({ memorySize: memory });
  });

  test("has the reserved concurrency of the settings, and else the account's", () => {
    const { reservedConcurrency } = readStageSettings("production", { ALARM_EMAIL: "ops@example.com" });
    const reserved = (reservedConcurrency as Record<string, number>)[name];
    expect(inputsOf(name).reservedConcurrentExecutions).toBe(reserved);
  });

  test("has more time than the deadline of its code (27 s), and less than API Gateway waits (30 s)", () => {
    const { timeout } = inputsOf(name);
    expect(timeout).toBeGreaterThanOrEqual(between[0]);
    expect(timeout).toBeLessThan(between[1]);
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

  test("may read and write cached texts, and see that a text is missing, if it reads pages", () => {
    const bucket = bucketOf("TextsBucket");
    const isOfTexts = ({ resources }: Statement) => resources.some((resource) => resource.includes(bucket));
    expect(permissionsOf(name, "s3").filter(isOfTexts)).toEqual(
      pages === "own"
        ? [
            { actions: ["s3:GetObject", "s3:PutObject"], resources: [`arn:aws:s3:::${bucket}/*`] },
            { actions: ["s3:ListBucket"], resources: [`arn:aws:s3:::${bucket}`] },
          ]
        : [],
    );
    expect(inputsOf(name).environment.variables.TEXT_BUCKET).toBe(pages === "own" ? bucket : undefined);
  });

  test("may call the functions that read pages and pictures alone, if it keeps or shows them, or the indexing function", () => {
    if (name === "canary") return;
    const [extraction, imaging, indexing] = ["extraction", "imaging", "indexing"].map(
      (called) => `arn:aws:lambda:${account}:function:${prefix}${called}:live`,
    );
    const usesImages = pictures !== undefined && ["keep", "address", "show", "store"].includes(pictures);
    const called = [
      ...(pages === "remote" ? [extraction] : []),
      ...(usesImages ? [imaging] : []),
      ...(asksForIndexes ? [indexing] : []),
    ];
    const statements = permissionsOf(name, "lambda");
    expect(statements.flatMap(({ resources }) => resources)).toEqual(called);
    expect(statements.flatMap(({ actions }) => actions).every((each) => each === "lambda:InvokeFunction")).toBe(true);
    const { EXTRACTION_FUNCTION, IMAGING_FUNCTION, INDEXING_FUNCTION } = inputsOf(name).environment.variables;
    expect(EXTRACTION_FUNCTION).toBe(pages === "remote" ? extraction : undefined);
    expect(IMAGING_FUNCTION).toBe(usesImages ? imaging : undefined);
    expect(INDEXING_FUNCTION).toBe(asksForIndexes ? indexing : undefined);
  });

  test("may read search indexes if it searches, and write them if it stores them or deletes accounts", () => {
    const bucket = bucketOf("IndexesBucket");
    const objects = [`arn:aws:s3:::${bucket}/indexes/*`];
    const list = { actions: ["s3:ListBucket"], resources: [`arn:aws:s3:::${bucket}`] };
    const statements = {
      read: [{ actions: ["s3:GetObject"], resources: objects }, list],
      store: [{ actions: ["s3:GetObject", "s3:PutObject"], resources: objects }, list],
      close: [{ actions: ["s3:PutObject"], resources: objects }],
    };
    const isOfIndexes = ({ resources }: Statement) => resources.some((resource) => resource.includes(bucket));
    expect(permissionsOf(name, "s3").filter(isOfIndexes)).toEqual(indexes ? statements[indexes] : []);
    expect(inputsOf(name).environment.variables.SEARCH_BUCKET).toBe(indexes && bucket);
  });

  test("has room for the copies of search indexes if it has any", () => {
    const hasCopies = indexes === "read" || indexes === "store";
    expect(inputsOf(name).ephemeralStorage?.size).toBe(hasCopies ? 1024 : 512);
  });

  test("may do with kept articles what its endpoint does, and nothing with other objects of their bucket", () => {
    const bucket = bucketOf("ArticlesBucket");
    const statements = {
      read: [
        { actions: ["s3:GetObject"], resources: [`arn:aws:s3:::${bucket}/articles/*`] },
        { actions: ["s3:ListBucket"], resources: [`arn:aws:s3:::${bucket}`] },
      ],
      write: [
        { actions: ["s3:GetObject", "s3:PutObject"], resources: [`arn:aws:s3:::${bucket}/articles/*`] },
        { actions: ["s3:ListBucket"], resources: [`arn:aws:s3:::${bucket}`] },
      ],
      keep: [
        {
          actions: ["s3:GetObject", "s3:PutObject", "s3:DeleteObject"],
          resources: [`arn:aws:s3:::${bucket}/articles/*`],
        },
        { actions: ["s3:ListBucket"], resources: [`arn:aws:s3:::${bucket}`] },
      ],
      delete: [{ actions: ["s3:DeleteObject"], resources: [`arn:aws:s3:::${bucket}/articles/*`] }],
      deleteAll: [
        { actions: ["s3:DeleteObject"], resources: [`arn:aws:s3:::${bucket}/articles/*`] },
        { actions: ["s3:ListBucket"], resources: [`arn:aws:s3:::${bucket}`] },
      ],
    };
    const isOfArticles = ({ resources }: Statement) => resources.some((resource) => resource.includes(bucket));
    expect(permissionsOf(name, "s3").filter(isOfArticles)).toEqual(articles ? statements[articles] : []);
    expect(inputsOf(name).environment.variables.ARTICLE_BUCKET).toBe(articles && bucket);
  });

  test("may do with kept pictures what its endpoint does, and nothing with other objects of their bucket", () => {
    const bucket = bucketOf("PicturesBucket");
    const actions: Record<string, string[]> = {
      read: ["s3:GetObject", "s3:ListBucket"],
      show: ["s3:GetObject", "s3:DeleteObject", "s3:ListBucket"],
      store: ["s3:PutObject", "s3:DeleteObject"],
      address: ["s3:PutObject", "s3:DeleteObject"],
      keep: ["s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:ListBucket"],
      delete: ["s3:DeleteObject"],
      deleteAll: ["s3:DeleteObject", "s3:ListBucket"],
    };
    const statements = permissionsOf(name, "s3").filter(({ resources }) =>
      resources.some((each) => each.includes(bucket)),
    );
    expect(statements.flatMap((each) => each.actions)).toEqual(actions[pictures ?? ""] ?? []);
    for (const each of statements) {
      const isOfBucket = each.actions.includes("s3:ListBucket");
      expect(each.resources).toEqual([`arn:aws:s3:::${bucket}${isOfBucket ? "" : "/pictures/*"}`]);
    }
    const isUsed = pictures !== undefined && pictures !== "count";
    expect(inputsOf(name).environment.variables.PICTURE_BUCKET).toBe(isUsed ? bucket : undefined);
  });

  test("may delete no version of an object: the lifecycle of the bucket does", () => {
    expect(JSON.stringify(permissionsOf(name, "s3"))).not.toMatch(/Version|s3:\*/);
  });

  test("has the settings of the stage, and the secret of proofs if it checks them", () => {
    const { variables } = inputsOf(name).environment;
    expect(readSettings(variables)).toMatchObject({
      service: { userLimit: 77, keyLimit: 10_000, listLimit: 100_000, articleQuota: 9_000_000, textsAtOnce: 25 },
      apiHost: name.startsWith("TextApiUn") ? "text" : "main",
      proofSecret: users ? secretOf("ProofSecret") : undefined,
      edgeSecret: undefined,
      ...(metrics && { metricNamespace: "reading-list/production" }),
      ...(table && { tableName: resourcesOf(evaluation, "dynamodb/table:Table")[0]?.inputs.name }),
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

  test("owns every alias but its own: a deployment keeps versions and weights", () => {
    for (const { inputs, ignoreChanges } of resourcesOf(evaluation, "lambda/alias:Alias")) {
      const isOwn = inputs.functionName === `${prefix}canary`;
      expect(ignoreChanges).toEqual(isOwn ? [] : ["functionVersion", "routingConfig"]);
    }
  });

  test("may move aliases and read metrics, and has settings of the table alone", () => {
    expect(permissionsOf("canary", "lambda")).toEqual([
      {
        actions: ["lambda:GetAlias", "lambda:UpdateAlias"],
        resources: expect.toSatisfy(
          (arns: string[]) =>
            arns.toSorted().join() ===
            ofOthers()
              .map(({ inputs }) => `arn:aws:lambda:${account}:function:${inputs.name}`)
              .sort()
              .join(),
        ),
      },
    ]);
    expect(permissionsOf("canary", "cloudwatch")).toEqual([
      { actions: ["cloudwatch:GetMetricData"], resources: ["*"] },
    ]);
  });
});

test("deletions of accounts are continued every five minutes, search indexes stored again twice a day, and pages kept each minute, by nobody else", () => {
  const schedules = resourcesOf(evaluation, "scheduler/schedule:Schedule");
  const names = ["DeletionScheduleSchedule", "IndexScheduleSchedule", "KeepingScheduleSchedule"];
  expect(schedules.map(({ name }) => name).sort()).toEqual(names);
  const [schedule, ofIndexes, ofKeeping] = names.map((name) => schedules.find((each) => each.name === name));
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
