// SPDX-License-Identifier: MIT

import path from "node:path";
import { ServiceClient, TestUser } from "@reading-list/testing/client.ts";
import { runCommand } from "@reading-list/testing/command-line.ts";
import { FakeClock } from "@reading-list/testing/fake-clock.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { startDynamodbService, startInProcess } from "@reading-list/testing/test-service.ts";
import { WallabagDevice } from "@reading-list/testing/wallabag-device.ts";
import { beforeEach, expect, test } from "vitest";

let folder: string;
let user: TestUser;
/** The ids of the source, by URL. */
let ids: Map<string, number>;

const inFolder = (name: string) => path.join(folder, name);
const url = (i: number) => `https://example.com/${i}`;

/** A command that must succeed. */
async function run(dataDir: string, ...args: string[]): Promise<string> {
  const { code, out, err } = await runCommand(args, { DATA_DIR: inFolder(dataDir) });
  expect([code, err]).toEqual([0, expect.not.stringContaining("readinglist:")]);
  return out;
}
const move = (...to: string[]) =>
  run("source", "move", user.credentials.username, "--from", inFolder("source"), "--to", ...to);

/** The ids that a service shows, by URL. */
async function idsIn(service: ServiceClient): Promise<Map<string, number>> {
  const device = await new WallabagDevice(service, user.credentials).signIn();
  const { items } = (await device.list("detail=metadata"))._embedded;
  return new Map(items.map((entry) => [entry.url, entry.id]));
}

/** The copy has the ids of the source, and gives none of them to a new page, nor the id of the deleted one. */
async function expectSameIds(service: ServiceClient): Promise<void> {
  expect(await idsIn(service)).toEqual(ids);
  await new TestUser(service, user.credentials.username, user.credentials.password).add(url(9));
  expect((await idsIn(service)).get(url(9))).toBe(7);
}

beforeEach(async () => {
  folder = temporaryFolder();
  const service = new ServiceClient(await startInProcess({ DATA_DIR: inFolder("source") }));
  user = await service.newUser();
  await user.send({ new: [1, 2, 3, 4, 5, 6].map((i) => ({ url: url(i) })) });
  const deleted = [...(await idsIn(service))].find(([, id]) => id === 6)?.[0];
  await user.send({ delete: [{ url: deleted }], read: [{ url: url(2) }] });
  ids = await idsIn(service);
  expect([...ids.values()].sort()).toEqual([1, 2, 3, 4, 5]);
});

test("a list that was moved to another data folder shows the same ids", async () => {
  const target = new ServiceClient(await startInProcess({ DATA_DIR: inFolder("target") }));
  await move(inFolder("target"));
  await expectSameIds(target);
});

test("a list that was moved to DynamoDB shows the same ids", async () => {
  // The commands and the source have the clock of the machine.
  const target = await startDynamodbService({}, { clock: new FakeClock(Math.floor(Date.now() / 1000)) });
  await move(target.env.DYNAMODB_ENDPOINT, "--to-table", target.env.TABLE_NAME);
  await expectSameIds(target);
});

test("an export has the ids", async () => {
  const lines = (await run("source", "export", user.credentials.username)).trimEnd().split("\n").slice(0, -1);
  const exported = lines.map((line) => JSON.parse(line) as { url: string; number: number });
  expect(new Map(exported.map((item) => [item.url, item.number]))).toEqual(ids);
});
