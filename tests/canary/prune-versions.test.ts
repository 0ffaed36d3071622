// SPDX-License-Identifier: MIT

import {
  DeleteFunctionCommand,
  LambdaClient,
  ListAliasesCommand,
  ListVersionsByFunctionCommand,
} from "@aws-sdk/client-lambda";
import { pruneVersions } from "@reading-list/canary/prune-versions.ts";
import { beforeEach, expect, test } from "vitest";

interface Alias {
  FunctionVersion: string;
  RoutingConfig?: { AdditionalVersionWeights: Record<string, number> };
}

let versions: Record<string, string[]>;
let aliases: Record<string, Alias[]>;
/** Runs before each deletion; it may throw. */
let beforeDeletion: () => void;

/** Lambda's versions and aliases, in pages of two. */
const lambda = new LambdaClient({ region: "eu-west-1" });
const send = async (command: unknown, { abortSignal }: { abortSignal?: AbortSignal } = {}) => {
  abortSignal?.throwIfAborted();
  const { FunctionName = "", Marker = "0", Qualifier } = (command as { input: Record<string, string> }).input;
  const pageOf = <Value>(all: readonly Value[] = []) => {
    const end = Number(Marker) + 2;
    return [all.slice(end - 2, end), end < all.length ? { NextMarker: String(end) } : {}] as const;
  };
  if (command instanceof DeleteFunctionCommand) {
    expect(Qualifier).toMatch(/^\d+$/);
    beforeDeletion();
    versions[FunctionName] = versions[FunctionName]?.filter((each) => each !== Qualifier) ?? [];
    return {};
  }
  if (command instanceof ListAliasesCommand) {
    const [Aliases, more] = pageOf(aliases[FunctionName]);
    return { Aliases, ...more };
  }
  expect(command).toBeInstanceOf(ListVersionsByFunctionCommand);
  const [page, more] = pageOf(versions[FunctionName]);
  return { Versions: page.map((Version) => ({ Version })), ...more };
};
lambda.send = send as LambdaClient["send"];

const prune = (names = Object.keys(versions), signal = new AbortController().signal) =>
  pruneVersions(lambda, names, signal);
const upTo = (newest: number) => ["$LATEST", ...Array.from({ length: newest }, (_, index) => String(index + 1))];

beforeEach(() => {
  versions = { get: upTo(12), add: upTo(12) };
  aliases = { get: [{ FunctionVersion: "11" }], add: [{ FunctionVersion: "11" }] };
  beforeDeletion = () => {};
});

test("keeps the version of the alias, the one before it, and those that this deployment has published", async () => {
  expect(await prune()).toBe(18);
  const kept = ["$LATEST", "10", "11", "12"];
  expect(versions).toEqual({ get: kept, add: kept });
  expect(await prune()).toBe(0);
});

test("keeps the versions of every alias, also those with a share of the calls, and the ones before them", async () => {
  const weights = { AdditionalVersionWeights: { 9: 0.1 } };
  aliases.get = [{ FunctionVersion: "11" }, { FunctionVersion: "4" }, { FunctionVersion: "7", RoutingConfig: weights }];
  await prune(["get"]);
  expect(versions.get).toEqual(["$LATEST", "3", "4", "6", "7", "8", "9", "10", "11", "12"]);
});

test("the version before is the one that still exists, whatever its number is", async () => {
  versions.get = ["$LATEST", "10", "2", "3", "12", "99", "100"];
  aliases.get = [{ FunctionVersion: "99" }];
  await prune(["get"]);
  expect(versions.get).toEqual(["$LATEST", "12", "99", "100"]);
});

test("keeps all versions of a function without an alias, and after a rollback all newer ones", async () => {
  aliases = { get: [], add: [{ FunctionVersion: "3" }] };
  await prune();
  expect(versions).toEqual({ get: upTo(12), add: upTo(12).filter((each) => each !== "1") });
});

test("stops when its time is over or Lambda does not answer, and the next run continues", async () => {
  const time = new AbortController();
  let deletions = 0;
  beforeDeletion = () => {
    if (++deletions === 3) time.abort();
  };
  await expect(prune(undefined, time.signal)).rejects.toThrow("aborted");
  expect(versions.get).toEqual(["$LATEST", ...upTo(12).slice(4)]);
  beforeDeletion = () => {
    throw new Error("Lambda does not answer");
  };
  await expect(prune()).rejects.toThrow("Lambda does not answer");
  beforeDeletion = () => {};
  expect(await prune()).toBe(15);
  expect(versions.add).toEqual(["$LATEST", "10", "11", "12"]);
});
