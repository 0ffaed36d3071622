// SPDX-License-Identifier: MIT

import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { maxPasskeys, type Passkey } from "@reading-list/core/domain/passkey.ts";
import type { User } from "@reading-list/core/ports/users.ts";
import { readRecord } from "@reading-list/store-dynamodb/client.ts";
import { dataVersion } from "@reading-list/store-dynamodb/data-version.ts";
import { dataVersionKey, passkeysKey } from "@reading-list/store-dynamodb/keys.ts";
import { createPasskeyStore } from "@reading-list/store-dynamodb/passkeys.ts";
import { startDynamodbService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, expect, test } from "vitest";

let service: TestService;
let passkeys: ReturnType<typeof createPasskeyStore>;

beforeAll(async () => {
  service = await startDynamodbService({});
  passkeys = createPasskeyStore(service.table);
});

const passkey = (id: string, counter = 0): Passkey => ({
  id,
  name: "Laptop",
  publicKey: new Uint8Array([1, 2, 3]),
  counter,
  transports: ["usb"],
  createdAt: 1,
  usedAt: 0,
});

let nonces = 0;
const challenge = (at = 1000) => ({ nonce: `n${nonces++}`, at });

async function newUser() {
  const user = await service.newUser();
  const find = async () => (await service.operator.users.find(user.credentials.username)) as User;
  return { user, found: await find(), find };
}

test("are accepted only once the data version is raised, because earlier functions admit the password alone", async () => {
  const { client, tableName } = service.table;
  const { user, found, find } = await newUser();
  const setVersion = (version: number) =>
    client.send(new PutCommand({ TableName: tableName, Item: { ...dataVersionKey, version } }));
  await setVersion(dataVersion - 1);
  await expect(passkeys.add(found, passkey("a"), challenge())).rejects.toThrow("the service is being updated");
  expect([(await find()).hasPasskeys, await passkeys.list(found)]).toEqual([false, []]);
  await setVersion(dataVersion);
  expect(await passkeys.add(found, passkey("a"), challenge())).toBe(true);
  expect([(await find()).hasPasskeys, await passkeys.list(found)]).toEqual([true, [passkey("a")]]);
  expect((await user.call("auth")).status).toBe(401);
});

test("of two processes one accepts an answer, and of two new passkeys at once both are there", async () => {
  const { found } = await newUser();
  const other = createPasskeyStore(service.table);
  await Promise.all([passkeys.add(found, passkey("a"), challenge()), other.add(found, passkey("b"), challenge())]);
  expect((await passkeys.list(found)).map(({ id }) => id).sort()).toEqual(["a", "b"]);
  const answered = challenge();
  const outcomes = await Promise.all([passkeys, other].map((each) => each.use(found, "a", 0, 86_400, answered)));
  expect(outcomes.sort()).toEqual([false, true]);
  expect((await passkeys.list(found)).find(({ id }) => id === "a")?.usedAt).toBe(86_400);
  // Passkeys that count refuse a counter that is not higher.
  const counters = [5, 5, 4, 6].map((counter) => () => passkeys.use(found, "b", counter, 0, challenge()));
  const accepted = [];
  for (const use of counters) accepted.push(await use());
  expect(accepted).toEqual([true, false, false, true]);
});

test("a user has ten at most; challenges are forgotten when they are no longer valid", async () => {
  const { found } = await newUser();
  for (let n = 0; n < maxPasskeys; n++) expect(await passkeys.add(found, passkey(`p${n}`), challenge())).toBe(true);
  expect(await passkeys.add(found, passkey("more"), challenge())).toBe(false);
  const record = async () => (await readRecord(service.table, passkeysKey(found.username)))?.answered;
  expect(await passkeys.use(found, "p1", 0, 0, challenge(5000))).toBe(true);
  expect(await record()).toHaveLength(1);
});

test("a later user with the same name does not get them, and a new password by the operator removes them", async () => {
  const { user, found, find } = await newUser();
  await passkeys.add(found, passkey("a"), challenge());
  expect(await passkeys.list({ ...found, userId: "another" })).toEqual([]);
  await expect(passkeys.add({ ...found, passwordHash: "old" }, passkey("b"), challenge())).rejects.toThrow();
  const { username } = user.credentials;
  await service.operator.setPasswordHash(username, found.passwordHash);
  expect([(await find()).hasPasskeys, await passkeys.list(found)]).toEqual([false, []]);
  await user.ok("auth");
  expect(await passkeys.remove(found, "a")).toBe(false);
  await passkeys.add(found, passkey("a"), challenge());
  await service.operator.beginDeletion(found, 0);
  for await (const _ of service.operator.deleteSignIns(found));
  expect(await readRecord(service.table, passkeysKey(username))).toBeUndefined();
});
