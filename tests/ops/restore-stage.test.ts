// SPDX-License-Identifier: MIT

import { UpdateTableCommand } from "@aws-sdk/client-dynamodb";
import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { deleteUser } from "@reading-list/core/use-cases/accounts/delete-user.ts";
import { createBucket } from "@reading-list/store-dynamodb/bucket.ts";
import { createDocumentClient } from "@reading-list/store-dynamodb/client.ts";
import { ensureTable } from "@reading-list/store-dynamodb/create-table.ts";
import { createOperatorStore } from "@reading-list/store-dynamodb/operator.ts";
import { findExpiry, listTableNames } from "@reading-list/store-dynamodb/table-inspection.ts";
import { runCommand } from "@reading-list/testing/command-line.ts";
import { startDynamodb } from "@reading-list/testing/dynamodb.ts";
import { startPageServer } from "@reading-list/testing/page-server.ts";
import { startRestorableDatabase } from "@reading-list/testing/restorable-database.ts";
import { VersionedBuckets } from "@reading-list/testing/versioned-buckets.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";

const at = "2026-11-21T05:30:00Z";
const time = Date.parse(at) / 1000;
const bucket = "reading-list-production-articlesbucket-abcdefgh";
const stops: (() => unknown)[] = [];
let account: Awaited<ReturnType<typeof startRestorableDatabase>>;
let client: ReturnType<typeof createDocumentClient>;
let s3: string;

/** A stage of the calling test: its own table, and a bucket with versions. */
let stage: string;
let source: string;
let target: string;
let buckets: VersionedBuckets;
let count = 0;

beforeAll(async () => {
  const database = await startDynamodb();
  account = await startRestorableDatabase(database.endpoint);
  client = createDocumentClient(database.endpoint);
  const server = await startPageServer((request, response) => buckets.listener()(request, response));
  s3 = server.origin;
  stops.push(database.stop, account.stop, () => client.destroy(), server.stop);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  for (const stop of stops.reverse()) await stop();
});

beforeEach(async () => {
  stage = `production${++count}`;
  source = `reading-list-${stage}-ReadingListTable-abcdefgh`;
  target = `reading-list-${stage}-ReadingListTable-20261121T053000`;
  buckets = new VersionedBuckets({
    [bucket.replace("production", stage)]: { isVersioned: true },
    [indexBucketName()]: { isVersioned: false },
  });
  await ensureTable({ client, tableName: source });
  await account.remember(source, time);
  account.failures.clear();
  const credentials = { AWS_REGION: "eu-central-1", AWS_ACCESS_KEY_ID: "local", AWS_SECRET_ACCESS_KEY: "local" };
  const endpoints = { AWS_ENDPOINT_URL_DYNAMODB: account.url, AWS_ENDPOINT_URL_S3: s3 };
  for (const [name, value] of Object.entries({ ...endpoints, ...credentials, HOME: "/nowhere" })) {
    vi.stubEnv(name, value);
  }
});

const storeOf = (tableName: string) =>
  createOperatorStore(
    { client, tableName },
    createBucket(async () => bucketName()),
  );
const bucketName = () => bucket.replace("production", stage);
const indexBucketName = () => bucketName().replace("articles", "indexes");
const maintain = (tableName = source) => storeOf(tableName).beginMaintenance({ text: "Back soon.", since: 1 });
const restore = (...args: string[]) =>
  runCommand(["restore", "--at", at, "--stage", stage, "--yes", "--json", ...args], {});

/** Writes versions of an object: contents, or undefined for a deletion, by seconds after the time of the restore. */
function write(name: string, versions: [seconds: number, content: string | undefined][]): void {
  for (const [seconds, content] of versions) {
    buckets.clock = () => (time + seconds) * 1000;
    buckets.put(`/${bucketName()}/articles/${name}`, content === undefined ? undefined : Buffer.from(content));
  }
  buckets.clock = () => (time + 3600) * 1000;
}

/** The objects that there are. */
const contents = () =>
  Object.fromEntries(
    [...buckets.byPath].map(([path, content]) => [path.split("/articles/")[1] ?? "", content.toString()]),
  );

test("a restore removes the search indexes, which are of another list then; an older stage has no bucket of them", async () => {
  buckets.put(`/${indexBucketName()}/indexes/a`, Buffer.from("an index"));
  write("a/unchanged", [[-9, "one"]]);
  await maintain();
  expect((await restore()).code).toBe(0);
  expect(contents()).toEqual({ "a/unchanged": "one" });

  buckets = new VersionedBuckets({ [bucketName()]: { isVersioned: true } });
  await account.remember(source, time + 60);
  await maintain(target);
  const later = ["restore", "--at", "2026-11-21T05:31:00Z", "--stage", stage, "--table", source, "--yes"];
  expect(await runCommand(later, {})).toMatchObject({ code: 0 });
});

describe("the objects of a restored stage", () => {
  const histories: [string, [number, string | undefined][], string | undefined][] = [
    ["a/unchanged", [[-9, "one"]], "one"],
    ["a/replaced-before", [[-9, "one"], [-8, "two"]], "two"], // biome-ignore format: a line each
    ["a/replaced-later", [[-9, "one"], [9, "two"]], "one"], // biome-ignore format: a line each
    ["a/deleted-before", [[-9, "one"], [-8, undefined]], undefined], // biome-ignore format: a line each
    ["a/deleted-later", [[-9, "one"], [9, undefined]], "one"], // biome-ignore format: a line each
    ["a/made-later", [[9, "one"]], undefined],
    ["a/made-and-deleted-later", [[8, "one"], [9, undefined]], undefined], // biome-ignore format: a line each
    ["a/deleted-and-made-again", [[-9, "one"], [8, undefined], [9, "two"]], "one"], // biome-ignore format: a line each
    ["a/in-that-second", [[-9, "one"], [0, "two"]], "two"], // biome-ignore format: a line each
    ["a/deleted-in-that-second", [[-9, "one"], [0, undefined]], undefined], // biome-ignore format: a line each
    ["a/made-and-deleted-in-that-second", [[0, "one"], [0, undefined], [9, "two"]], "one"], // biome-ignore format: a line each
    ["a/replaced-twice-in-that-second", [[0, "one"], [0, "two"], [9, "three"]], "two"], // biome-ignore format: a line each
    ["b/deleted-later", [[-9, "one"], [9, undefined]], "one"], // biome-ignore format: a line each
  ];
  const expected = Object.fromEntries(histories.flatMap(([name, , then]) => (then ? [[name, then]] : [])));

  test.each([1, 2, 3, 1000])("are as they were, whatever the size of a page of S3's list (%i)", async (pageSize) => {
    for (const [name, versions] of histories) write(name, versions);
    buckets.pageSize = pageSize;
    await maintain();
    const { code, err, json } = await restore();
    expect([code, err]).toEqual([0, expect.stringContaining("run the same command again to continue")]);
    expect(contents()).toEqual(expected);
    // A stage of an older version has no bucket of pictures.
    const pictures = { restored: 0, removed: 0 };
    expect(json()).toEqual({ table: target, leftOut: 0, articles: { restored: 6, removed: 1 }, pictures });
  });

  test("keep their versions, so that a later restore can bring removed objects back", async () => {
    write("a/made-later", [[9, "one"]]);
    await maintain();
    expect((await restore()).code).toBe(0);
    expect(contents()).toEqual({});
    await account.remember(source, time + 60);
    await maintain(target);
    const later = ["restore", "--at", "2026-11-21T05:31:00Z", "--stage", stage, "--table", source, "--yes"];
    expect(await runCommand(later, {})).toMatchObject({ code: 0 });
    expect(contents()).toEqual({ "a/made-later": "one" });
  });

  test("of users who were deleted later stay deleted", async () => {
    const store = storeOf(source);
    const ids: Record<string, string> = {};
    for (const username of ["ann", "bob"]) {
      await store.users.create(username, "hash", time - 60);
      const { userId = "" } = (await store.findUser(username)) ?? {};
      ids[username] = userId;
      write(`${userId}/1`, [[-9, username]]);
    }
    await account.remember(source, time);
    await deleteUser(store, store.articles, { username: "bob", userId: ids.bob ?? "" }, time + 60);
    write(`${ids.ann}/1`, [[70, undefined]]);
    await maintain();
    expect((await restore()).json()).toMatchObject({ leftOut: 1, articles: { restored: 1, removed: 0 } });
    expect(contents()).toEqual({ [`${ids.ann}/1`]: "ann" });
    const { Items = [] } = await client.send(new ScanCommand({ TableName: target }));
    expect(Items.map(({ pk }) => pk)).toContain("USER#ann");
    // Every `since` of before is a first sync.
    const { lastSince = 0, firstSyncUpTo = 0 } = (await storeOf(target).findUser("ann")) ?? {};
    expect(firstSyncUpTo).toBeGreaterThan(Date.now() / 1000);
    expect(lastSince).toBe(firstSyncUpTo + 1);
    expect(Items.filter((record) => JSON.stringify(record).includes("bob"))).toEqual([]);
  });
});

describe("the restored table", () => {
  test("has the settings of the old one and its maintenance, even if the command is interrupted", async () => {
    await client.send(new UpdateTableCommand({ TableName: source, DeletionProtectionEnabled: true }));
    await maintain();
    account.failures.set("UpdateTimeToLive", ["ValidationException"]);
    expect((await restore()).code).toBe(1);
    expect((await restore()).code).toBe(0);
    const restored = { client, tableName: target };
    expect(await findExpiry(restored)).toBe("expires");
    expect(await storeOf(target).findMaintenance()).toEqual({ text: "Back soon.", since: 1 });
    expect(account.withoutBackups).not.toContain(target);
    const doctor = await runCommand(["doctor", "--stage", stage, "--table", target], {});
    expect([doctor.code, doctor.out]).toEqual([0, expect.not.stringContaining("FAULT")]);
  });

  test("is never restored again once it may be in use", async () => {
    await maintain();
    expect((await restore()).code).toBe(0);
    write("a/made-later", [[9, "one"]]);
    expect(await restore()).toMatchObject({ code: 1, err: expect.stringContaining("has been restored before") });
    expect(contents()).toEqual({ "a/made-later": "one" });
  });
});

describe("a restore is refused, and changes nothing,", () => {
  test("while the stage is not in maintenance", async () => {
    expect(await restore()).toMatchObject({ code: 1, err: expect.stringContaining("is not in maintenance, so") });
  });

  test("while another table of the stage is not in maintenance mode, as it may be in use", async () => {
    await ensureTable({ client, tableName: `${source}-other` });
    await maintain();
    const { code, err } = await restore("--table", source);
    expect([code, err]).toEqual([1, expect.stringContaining(`${source}-other is not in maintenance`)]);
  });

  test("if there are several tables and none is named", async () => {
    await ensureTable({ client, tableName: `${source}-other` });
    expect(await restore()).toMatchObject({ code: 1, err: expect.stringContaining("give the one to restore") });
  });

  test("to a time that the backups do not reach", async () => {
    await maintain();
    const later = ["restore", "--at", "2026-11-22T00:00:00Z", "--stage", stage, "--yes"];
    const { code, err } = await runCommand(later, {});
    expect([code, err]).toEqual([1, expect.stringContaining(`to 2026-11-21T05:30:00.000Z`)]);
  });

  test("of a table without backups", async () => {
    await maintain();
    account.withoutBackups.add(source);
    expect(await restore()).toMatchObject({ code: 1, err: expect.stringContaining("point-in-time recovery") });
  });

  test("into a bucket without versions, where a removal would be for good", async () => {
    buckets = new VersionedBuckets({ [bucketName()]: { isVersioned: false } });
    write("a/made-later", [[9, "one"]]);
    await maintain();
    expect(await restore()).toMatchObject({ code: 1, err: expect.stringContaining("has no versions") });
    expect(await listTableNames(client, target)).toEqual([]);
    expect(contents()).toEqual({ "a/made-later": "one" });
  });

  test.each([
    [["--at", "yesterday"], "must be a time in UTC"],
    [["--at", at, "backup.db"], "give a backup file, or --at"],
    [[], "give the backup, or --at"],
  ])("with the arguments %j", async (args, error) => {
    const isOfStage = args.length > 0;
    const outcome = await runCommand(["restore", ...args, ...(isOfStage ? ["--stage", stage] : [])], {});
    expect([outcome.code, outcome.err]).toEqual([2, expect.stringContaining(error)]);
  });

  test("with --at and without a stage", async () => {
    expect(await runCommand(["restore", "--at", at], {})).toMatchObject({
      code: 2,
      err: expect.stringContaining("--stage"),
    });
  });
});
