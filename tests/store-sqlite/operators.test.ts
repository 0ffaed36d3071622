// SPDX-License-Identifier: MIT

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { itemsIn } from "@reading-list/core/domain/item.ts";
import { deletionsKeptSeconds } from "@reading-list/core/ports/items.ts";
import { Database } from "@reading-list/store-sqlite/database.ts";
import { deleteExpired } from "@reading-list/store-sqlite/operator.ts";
import { TestUser } from "@reading-list/testing/client.ts";
import { runCommand } from "@reading-list/testing/command-line.ts";
import { countTurns } from "@reading-list/testing/count-turns.ts";
import { permitAt } from "@reading-list/testing/permit-at.ts";
import { startDynamodbService, startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});

const urlOf = (n: number) => `https://example.com/${n}`;

/** A user with three pages: one read, one tagged, one deleted. */
async function userWith(pages: number): Promise<TestUser> {
  const user = await service.newUser();
  await user.send({ new: Array.from({ length: pages }, (_, n) => ({ url: urlOf(n), title: `Page ${n}` })) });
  service.clock.advance(10);
  await user.send({
    read: [{ url: urlOf(0) }],
    update_tags: [{ url: urlOf(1), tags: "a,b" }],
    delete: [{ url: urlOf(2) }],
  });
  return user;
}

/** A second connection to the service's database, like a command's. */
function connect(): Database {
  const database = Database.open(service.env.DATA_DIR);
  onTestFinished(() => database.close());
  return database;
}

describe.skipIf(!inject("dynamodbEndpoint"))("move", () => {
  test("moves a list from SQLite to DynamoDB and back, and clients continue with the same since", async () => {
    const deployed = await startDynamodbService({}, { clock: service.clock });
    const back = await startTestService({}, { clock: service.clock });
    const user = await userWith(120);
    const { since } = await user.get();
    const list = await user.items({ tags: "1" });
    const onDeployed = ["--from-table", deployed.env.TABLE_NAME];
    const first = ["move", user.username, "--from", service.env.DATA_DIR, "--to", deployed.env.DYNAMODB_ENDPOINT];
    const out = await runCommand([...first, "--to-table", deployed.env.TABLE_NAME], {});
    expect([out.err.includes("readinglist:"), out.code]).toEqual([false, 0]);
    const there = new TestUser(deployed, user.username, user.credentials.password);
    expect(await there.items({ tags: "1" })).toEqual(list);
    expect(await there.get({ since })).toMatchObject({ status: "2" });
    await there.add(urlOf(500));
    const second = ["move", user.username, "--from", deployed.env.DYNAMODB_ENDPOINT, ...onDeployed];
    expect((await runCommand([...second, "--to", back.env.DATA_DIR], {})).code).toBe(0);
    const home = new TestUser(back, user.username, user.credentials.password);
    expect((await home.items()).map(({ url }) => url)).toEqual([urlOf(500), ...list.map(({ url }) => url)]);
    const { list: changes } = await home.get({ since });
    expect(Object.values(changes).map(({ url }) => url)).toEqual([urlOf(500)]);
  });
});

test("a deleted user leaves no data in the folder or in a backup", async () => {
  const user = await service.newUser();
  const secret = `secret-${user.username}`;
  for (let n = 0; n < 30; n++) {
    await user.add(`https://example.com/${secret}/${n}`, { title: `A title ${secret}`, tags: secret });
  }
  await user.send({ update_title: [{ url: `https://example.com/${secret}/1`, title: `Another ${secret}` }] });
  await user.call("auth", { password: secret.slice(0, 20) });
  const copiesIn = (file: string) => readFileSync(file, "latin1").split(user.username).length - 1;
  const files = () => readdirSync(service.env.DATA_DIR).filter((name) => name.startsWith("reading-list.db"));
  const copies = () => files().map((name) => copiesIn(path.join(service.env.DATA_DIR, name)));
  expect(copies().reduce((sum, count) => sum + count)).toBeGreaterThan(60);
  expect((await runCommand(["users", "delete", user.username, "--yes"], service.env)).code).toBe(0);
  const backup = path.join(service.env.DATA_DIR, "backup.db");
  expect((await runCommand(["backup", backup], service.env)).code).toBe(0);
  expect([copiesIn(backup), ...copies()].every((count) => count === 0)).toBe(true);
});

test("expired records are deleted: sign-in attempts, windows of calls, deletions that nobody can sync any more", async () => {
  const user = await userWith(5);
  await user.call("auth", { password: "wrong" });
  const database = connect();
  const rows = () =>
    ["login_attempts", "key_windows", "items WHERE kind = 2"].map(
      (table) => database.get(`SELECT count(*) AS n FROM ${table}`)?.n,
    );
  expect(rows().every((count) => Number(count) > 0)).toBe(true);
  await deleteExpired(database, permitAt(service.clock.seconds()));
  expect(rows().every((count) => Number(count) > 0)).toBe(true);
  await deleteExpired(database, permitAt(service.clock.seconds() + deletionsKeptSeconds + 1));
  expect(rows()).toEqual([0, 0, 0]);
  expect(await user.items()).toHaveLength(4);
});

test("a list of 20,000 items is read in parts, between which other calls are answered", async () => {
  const user = await service.newUser();
  for (let start = 0; start < 20_000; start += 10_000) {
    await user.send({ new: Array.from({ length: 10_000 }, (_, n) => ({ url: urlOf(start + n) })) });
  }
  const list = await service.operator.users.find(user.username);
  if (!list) throw new Error("there is no such user");
  const range = { filter: [], after: undefined, itemId: undefined, skip: 0, limit: undefined };
  const reading = async () =>
    itemsIn((await service.operator.items.list(list, { ...range, deletions: "apart" })).items);
  const { result, turns } = await countTurns(reading);
  expect(new Set(result.map(({ itemId }) => itemId)).size).toBe(20_000);
  expect(turns).toBeGreaterThan(5);
});
