// SPDX-License-Identifier: MIT

import { execFile, spawnSync } from "node:child_process";
import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { atEndOfFile } from "@reading-list/testing/end-of-file.ts";
import { startPageServer } from "@reading-list/testing/page-server.ts";
import { beforeEach, describe, expect, test } from "vitest";

const isInstalled = spawnSync("aws", ["--version"]).status === 0;
if (!isInstalled) console.warn("SKIPPED: deploy/aws, as the AWS command line is not installed");

/** The command line takes seconds to start on a busy machine. */
const patient = { timeout: 600_000 };

/** The releases of a function's versions, oldest first, and the version of its alias. */
interface FakeFunction {
  releases: string[];
  live: number;
  /** The share of the new version while a canary watches it. */
  weights?: Record<string, number>;
}
let functions: Record<string, FakeFunction>;
let blocked: Record<string, { addresses: string[]; changes: number }>;

/** The variables of functions, by name. */
const variables: Record<string, Record<string, string>> = {
  "reading-list-production-text": { TABLE_NAME: "t", TEXT_BUCKET: "texts", USER_LIMIT: "320", OWN_ORIGINS: "" },
  "reading-list-production-readeck": {
    TABLE_NAME: "t",
    ARTICLE_BUCKET: "articles",
    PICTURE_BUCKET: "pictures",
    PROOF_SECRET: "s=e,c",
    PUBLIC_API_KEY: 'a"key\\=',
    USER_LIMIT: "320",
    EDGE_SECRET: "s",
    EXTRACTION_FUNCTION: "f",
    IMAGING_FUNCTION: "i",
    METRIC_NAMESPACE: "m",
    RELEASE: "r1",
  },
  "reading-list-production-search": { TABLE_NAME: "t", SEARCH_BUCKET: "indexes", INDEXING_FUNCTION: "i" },
};

const releases = (count: number, newest: number) =>
  Array.from({ length: count }, (_, i) => `r${newest - count + 1 + i}`);

beforeEach(() => {
  functions = {
    // More versions than a page has.
    "reading-list-production-MainApiHealth": { releases: releases(120, 120), live: 120 },
    "reading-list-production-add": { releases: releases(118, 120), live: 117, weights: { 118: 0.1 } },
    "reading-list-production-new": { releases: ["r120"], live: 1 },
    "reading-list-production-2-add": { releases: releases(120, 120), live: 120 },
    "another-function": { releases: ["r1"], live: 1 },
  };
  blocked = {
    "reading-list-production-blocked-ipv4": { addresses: ["198.51.100.0/24"], changes: 0 },
    "reading-list-production-blocked-ipv6": { addresses: [], changes: 0 },
  };
});

/** A page of a list as Lambda answers it. */
function pageOf(list: unknown[], name: string, url: URL, size: number) {
  const from = Number(url.searchParams.get("Marker") ?? 0);
  return {
    [name]: list.slice(from, from + size),
    ...(from + size < list.length && { NextMarker: String(from + size) }),
  };
}

function answerLambda(url: URL, body: string) {
  const [, , kind, name = "", part] = url.pathname.split("/");
  if (kind !== "functions") throw new Error(url.pathname);
  if (!name)
    return pageOf(
      Object.keys(functions).map((FunctionName) => ({ FunctionName })),
      "Functions",
      url,
      2,
    );
  if (part === "configuration") {
    expect(url.searchParams.get("Qualifier")).toBe("live");
    return { Environment: { Variables: variables[name] } };
  }
  const one = functions[name] as FakeFunction;
  if (part === "aliases") {
    const { FunctionVersion, RoutingConfig } = JSON.parse(body);
    one.live = Number(FunctionVersion);
    // Lambda keeps the weights if none are sent.
    one.weights = RoutingConfig?.AdditionalVersionWeights ?? one.weights;
    return { FunctionVersion: String(one.live) };
  }
  const versions = one.releases.map((RELEASE, i) => ({
    Version: String(i + 1),
    Environment: { Variables: { RELEASE } },
  }));
  return pageOf([{ ...versions.at(-1), Version: "$LATEST" }, ...versions], "Versions", url, 50);
}

function answerWaf(action: string, input: Record<string, string> & { Addresses: string[] }) {
  expect(input.Scope).toBe("CLOUDFRONT");
  if (action === "ListIPSets") return { IPSets: Object.keys(blocked).map((Name) => ({ Name, Id: `id of ${Name}` })) };
  const set = blocked[input.Name ?? ""];
  if (!set || input.Id !== `id of ${input.Name}`) throw new Error("no such list");
  const LockToken = `token ${set.changes}`;
  if (action === "GetIPSet") return { IPSet: { Addresses: set.addresses }, LockToken };
  expect([action, input.LockToken]).toEqual(["UpdateIPSet", LockToken]);
  set.addresses = input.Addresses;
  set.changes += 1;
  return {};
}

async function answer(request: IncomingMessage): Promise<object> {
  const body = (await request.toArray()).join("");
  const [, action] = String(request.headers["x-amz-target"] ?? "").split(".");
  return action ? answerWaf(action, JSON.parse(body)) : answerLambda(new URL(`http://account${request.url}`), body);
}

const account = await startPageServer(async (request, response) => response.end(JSON.stringify(await answer(request))));
atEndOfFile(account.stop);

/** Runs a script of deploy/aws with the AWS command line, for an account on this machine. */
async function run(script: string, ...args: string[]) {
  const env = {
    PATH: process.env.PATH,
    AWS_ENDPOINT_URL: account.origin,
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
    AWS_DEFAULT_REGION: "eu-west-1",
  };
  const { stdout } = await promisify(execFile)(`deploy/aws/${script}`, args, { env });
  return stdout.trimEnd().split("\n");
}

describe.skipIf(!isInstalled)("deploy/aws/roll-back", patient, () => {
  const live = () => Object.values(functions).map((each) => each.live);

  test("points each function of the stage to its version of a release, and no function of another stage", async () => {
    await run("roll-back", "production", "r119");
    expect(live()).toEqual([119, 117, 1, 120, 1]);
    // A canary was under way.
    expect(functions["reading-list-production-add"]?.weights).toEqual({});
  });

  test("lists the releases of the stage", async () => {
    const lines = await run("roll-back", "production");
    expect(lines.map((line) => line.split("\t")[1])).toEqual(releases(120, 120));
  });

  test("fails if the release or the stage does not exist, and changes nothing", async () => {
    await expect(run("roll-back", "production", "r7x")).rejects.toThrow("no function has a version of r7x");
    await expect(run("roll-back", "nowhere", "r119")).rejects.toThrow("no functions of the stage nowhere");
    expect(live()).toEqual([120, 117, 1, 120, 1]);
  });
});

describe.skipIf(!isInstalled)("deploy/aws/container-environment", patient, () => {
  test("prints the variables of the stage's functions that a process needs, unchanged", async () => {
    expect(await run("container-environment", "production")).toEqual([
      "STORE=dynamodb",
      "ARTICLE_BUCKET=articles",
      "OWN_ORIGINS=",
      "PICTURE_BUCKET=pictures",
      "PROOF_SECRET=s=e,c",
      'PUBLIC_API_KEY=a"key\\=',
      "SEARCH_BUCKET=indexes",
      "TABLE_NAME=t",
      "TEXT_BUCKET=texts",
      "USER_LIMIT=320",
    ]);
  });
});

describe.skipIf(!isInstalled)("deploy/aws/block-address", patient, () => {
  const addresses = () => Object.values(blocked).map((set) => set.addresses);

  test("adds addresses to the blocked ones, and removes them again", async () => {
    const all = ["198.51.100.0/24", "203.0.113.7/32", "2001:db8::/32"];
    expect(await run("block-address", "production", "203.0.113.7", "2001:db8::/32")).toEqual(all);
    expect(addresses()).toEqual([all.slice(0, 2), all.slice(2)]);
    await run("block-address", "production", "-d", "203.0.113.7", "198.51.100.0/24");
    expect(addresses()).toEqual([[], all.slice(2)]);
  });

  test("says what is missing if the stage has no CloudFront", async () => {
    await expect(run("block-address", "staging", "203.0.113.7")).rejects.toThrow("deploy it with EDGE=on");
  });
});
