// SPDX-License-Identifier: MIT

import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { readRecord } from "@reading-list/store-dynamodb/client.ts";
import { dataVersion } from "@reading-list/store-dynamodb/data-version.ts";
import { dataVersionKey } from "@reading-list/store-dynamodb/keys.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { atEndOfFile } from "@reading-list/testing/end-of-file.ts";
import { articlePage, page } from "@reading-list/testing/page-server.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { buildBundle } from "./bundle.ts";
import { type Deployment, deploy } from "./deployment.ts";
import { policiesOf } from "./policies.ts";

/** In the canary's process a pause of 30 s and more takes a millisecond. */
const shortPauses = `data:text/javascript,${encodeURIComponent(
  "const wait = setTimeout; globalThis.setTimeout = (then, ms, ...rest) => wait(then, ms >= 30000 ? 1 : ms, ...rest);",
)}`;

let stage: Deployment;
let user: TestUser;
/** Statuses of the calls of the last release, by the name of the endpoint. */
let statuses: [endpoint: string, status: number][];
/** Times at which the canary has read the metrics. */
let checks = 0;
/** Calls of each kind between two of these times. */
let callsOfKind: number;

beforeAll(async () => {
  stage = await deploy({ USER_LIMIT: "100000", KEY_LIMIT: "100000" }, page(articlePage));
  atEndOfFile(() => stage.stop());
  await stage.restart("canary", { NODE_OPTIONS: `--import=${shortPauses}` });
  user = await stage.client.newUser();
  await user.send({ new: [1, 2, 3].map((n) => ({ url: `https://example.com/${n}` })) });
});

beforeEach(() => {
  statuses = [];
  checks = 0;
  callsOfKind = 5;
  stage.releases.beforeMetrics = async () => {
    checks += 1;
    await callForHalfAMinute();
  };
});

/** Calls of a client: a third of them each poll, read a later page, and add. */
async function callForHalfAMinute(): Promise<void> {
  for (let call = 0; call < callsOfKind; call++) {
    for (const [endpoint, parameters] of [
      ["get", {}],
      ["get", { count: 1, page: 2 }],
      ["add", { url: `https://example.com/${call % 5}` }],
    ] as const) {
      statuses.push([endpoint, (await user.call(endpoint, parameters)).status]);
    }
  }
}

const failed = () => statuses.filter(([, status]) => status !== 200);

/** The versions that get calls, of all functions; a weight is named. */
const live = () => [
  ...new Set(
    [...stage.releases.aliases.values()].map(({ FunctionVersion, RoutingConfig }) =>
      [FunctionVersion, ...Object.keys(RoutingConfig.AdditionalVersionWeights)].join(" and "),
    ),
  ),
];
const names = () => [...stage.releases.aliases.keys()].filter((name) => !name.endsWith("-canary"));
const release = (version: string) =>
  stage.runCanary({ versions: Object.fromEntries(names().map((name) => [name, version])), seconds: 300 });

test("a first deployment records the data version", async () => {
  expect(await readRecord(stage.table, dataVersionKey)).toMatchObject({ version: dataVersion });
});

test("a deployment deletes every version but the one that gets the calls and the one before it", () => {
  const kept = [...stage.releases.versions].map(([name, versions]) => [name, [...versions]]);
  expect(kept).toEqual([...stage.releases.aliases.keys()].map((name) => [name, ["6", "7"]]));
});

test("a version whose later pages fail goes back at the first check, with all functions", async () => {
  callsOfKind = 20;
  // The new version reads the user's record, and the release forgot the grant, which the previous version does not need.
  const statements = (policiesOf(stage.evaluation).get("Get") ?? []).filter(
    ({ actions, conditions }) =>
      !(actions.includes("dynamodb:GetItem") && JSON.stringify(conditions).includes("USER#")),
  );
  stage.access.grant("GetWithoutGrant", statements);
  stage.publish("get", "8", { environment: { AWS_ACCESS_KEY_ID: "GetWithoutGrant" } });
  await expect(release("8")).rejects.toThrow(
    /the new versions failed 4 calls .* the previous versions failed 0 on the rest; all calls go/,
  );
  expect(checks).toBe(1);
  expect(failed()).toEqual(Array(4).fill(["get", 503]));
  expect(live()).toEqual(["7"]);
  statuses = [];
  await callForHalfAMinute();
  expect(failed()).toEqual([]);
});

test("a version that answers every sign-in with 401 goes back", async () => {
  callsOfKind = 50;
  for (const name of ["get", "add"]) {
    stage.publish(name, "20", { environment: { OIDC_ONLY: "1", RELEASE: "without-passwords" } });
  }
  await stage.restart("canary", { NODE_OPTIONS: `--import=${shortPauses}`, RELEASE: "without-passwords" });
  await expect(release("20")).rejects.toThrow(
    /the new versions answered \d+ calls with 401 .* all calls go to the previous/,
  );
  expect(live()).toEqual(["7"]);
  await stage.restart("canary", { NODE_OPTIONS: `--import=${shortPauses}` });
});

test("a version of a called function that returns only errors goes back", async () => {
  const folder = temporaryFolder();
  cpSync(stage.functions.get("extraction")?.folder ?? "", folder, { recursive: true });
  const bundle = `${folder}/bundle.mjs`;
  // A method has a different name than its callers use: it returns errors, and Lambda counts none.
  writeFileSync(bundle, readFileSync(bundle, "utf8").replaceAll("readArticle", "readArticleOfOld"));
  stage.publish("extraction", "21", { folder });
  stage.releases.beforeMetrics = async () => {
    for (let n = 0; n < 30; n++) {
      const url = `${stage.pages}/${checks}-${n}`;
      await user.add(url);
      await user.call("article", { url });
    }
    checks += 1;
  };
  await expect(release("21")).rejects.toThrow(/the new versions failed \d+ calls/);
  expect(live()).toEqual(["7"]);
});

test("a version that cannot start goes back", async () => {
  stage.publish("add", "9", { environment: { KEY_LIMIT: "many" } });
  await expect(release("9")).rejects.toThrow("all calls go to the previous versions again");
  expect(live()).toEqual(["7"]);
});

test("a good version gets a tenth of the calls for 5 minutes, and then all", async () => {
  let between: string[] = [];
  stage.releases.beforeMetrics = async () => {
    checks += 1;
    between = live();
    await callForHalfAMinute();
  };
  await release("10");
  expect([checks, failed()]).toEqual([10, []]);
  expect(between).toEqual(["7 and 10", "7"]);
  expect(live()).toEqual(["10", "7"]);
  expect(stage.releases.aliases.get("reading-list-dev-ann-canary")?.FunctionVersion).toBe("7");
});

/** Publishes a function whose code reads and writes an earlier data version. */
async function publishWithDataVersion(name: string, version: string, earlier: number): Promise<void> {
  const folder = temporaryFolder();
  const code = stage.functions.get(name);
  const build = stage.evaluation.builds.find(({ handler }) => handler.endsWith(`/${name}.handler`));
  if (!code || !build) throw new Error(`no function ${name}`);
  cpSync(code.folder, folder, { recursive: true });
  mkdirSync(folder, { recursive: true });
  await buildBundle(build, folder, [
    {
      name: "data version",
      setup: ({ onLoad }) =>
        onLoad({ filter: /data-version\.ts$/ }, async ({ path }) => ({
          contents: (await readFile(path, "utf8")).replace(/(?<=const dataVersion = )\d+/, String(earlier)),
          loader: "ts",
        })),
    },
  ]);
  stage.publish(name, version, { folder });
}

test("a release that raises the data version: both versions serve the data of the previous one, then the record is raised", async () => {
  const { client, tableName } = stage.table;
  const recorded = async () => (await readRecord(stage.table, dataVersionKey))?.version;
  await client.send(new PutCommand({ TableName: tableName, Item: { ...dataVersionKey, version: dataVersion - 1 } }));
  for (const name of ["get", "add"]) await publishWithDataVersion(name, "11", dataVersion - 1);
  await stage.runCanary({ versions: Object.fromEntries(names().map((name) => [name, "11"])), seconds: 0 });
  await client.send(new PutCommand({ TableName: tableName, Item: { ...dataVersionKey, version: dataVersion - 1 } }));
  const versions: unknown[] = [];
  stage.releases.beforeMetrics = async () => {
    versions.push(await recorded());
    await callForHalfAMinute();
  };
  await release("12");
  expect([versions, failed()]).toEqual([Array(10).fill(dataVersion - 1), []]);
  expect(await recorded()).toBe(dataVersion);
  await callForHalfAMinute();
  expect(failed()).toEqual([]);
  // A new process of the previous version refuses the data.
  for (const name of ["get", "add"]) await publishWithDataVersion(name, "13", dataVersion - 1);
  await expect(release("13")).rejects.toThrow("all calls go to the previous versions again");
  expect(live()).toEqual(["12", "7"]);
});
