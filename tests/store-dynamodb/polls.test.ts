// SPDX-License-Identifier: MIT

import { TestUser } from "@reading-list/testing/client.ts";
import { startDynamodbService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, beforeEach, expect, test } from "vitest";

const limit = 20;
const day = 86_400;

let first: TestService;
let second: TestService;
let user: TestUser;
/** The same user's calls to the other process. */
let elsewhere: TestUser;
/** The commands on the table, with the read units of each. */
let commands: [name: string, readUnits: number][] = [];

/** A process on the table of another one. */
async function startProcess(of?: TestService): Promise<TestService> {
  const env = {
    LOCAL_API_KEY: "one-key-for-both",
    PROOF_SECRET: "a secret that both processes have",
    USER_LIMIT: String(limit),
    ...(of && { TABLE_NAME: of.env.TABLE_NAME }),
  };
  return startDynamodbService(env, {
    ...(of && { clock: of.clock }),
    wrapClient: (client) => {
      client.middlewareStack.add(
        (next, { commandName }) =>
          async (args) => {
            const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: "TOTAL" } });
            const { ConsumedCapacity } = result.output as { ConsumedCapacity?: { CapacityUnits?: number } };
            commands.push([String(commandName), ConsumedCapacity?.CapacityUnits ?? 0]);
            return result;
          },
        { step: "initialize" },
      );
      return client;
    },
  });
}

beforeAll(async () => {
  first = await startProcess();
  second = await startProcess(first);
});

beforeEach(async () => {
  first.clock.advance(2 * 3600);
  user = await first.newUser();
  elsewhere = new TestUser(second, user.credentials.username, user.credentials.password);
});

/** The `since` of a user with one page who has polled on both processes. */
async function synced(): Promise<string> {
  await user.add("http://example.com/saved");
  await elsewhere.get();
  return (await user.get()).since;
}

/** The same user's calls with an app password, and its id. */
async function signIn(): Promise<{ phone: TestUser; id: string }> {
  const { id, password } = JSON.parse((await user.ok("app_passwords", { create: "Phone" })).body);
  return { phone: new TestUser(first, user.credentials.username, password), id };
}

const usedBy = async (caller: TestUser, endpoint: string, parameters = {}) => {
  const { status, headers } = await caller.call(endpoint, parameters);
  return { status, used: limit - Number(headers.get("x-limit-user-remaining")) };
};

test("a poll with nothing new reads one unit, and writes nothing", async () => {
  const since = await synced();
  await user.get({ since });
  commands = [];
  expect(await user.get({ since, count: 500, deleted: 1 })).toMatchObject({ status: "2", since });
  expect(commands).toEqual([["GetItemCommand", 1]]);
});

test("a poll sees the other process's changes at once, and the next poll sees nothing", async () => {
  const since = await synced();
  expect(await user.get({ since })).toMatchObject({ status: "2" });
  await elsewhere.add("http://example.com/new");
  const changed = await user.get({ since });
  expect(Object.values(changed.list).map(({ url }) => url)).toEqual(["http://example.com/new"]);
  expect(await elsewhere.get({ since: changed.since })).toMatchObject({ status: "2", list: {} });
});

test("polls are counted by their process, and reach the record with its next write", async () => {
  const since = await synced();
  const { used } = await usedBy(user, "get", { since });
  expect(await usedBy(user, "get", { since })).toEqual({ status: 200, used: used + 1 });
  expect((await usedBy(elsewhere, "stats")).used).toBe(used);
  expect((await usedBy(user, "stats")).used).toBe(used + 3);
  expect((await usedBy(elsewhere, "stats")).used).toBe(used + 4);
});

test("a process refuses the poll that exceeds the user's limit, also in the window after the record's", async () => {
  const since = await synced();
  first.clock.advance(3600);
  for (let call = 1; call <= limit; call++) {
    expect(await usedBy(user, "get", { since })).toEqual({ status: 200, used: call });
  }
  expect(await usedBy(user, "get", { since })).toEqual({ status: 403, used: limit });
  expect(await usedBy(user, "add", { url: "http://example.com/one-more" })).toEqual({ status: 403, used: limit });
  const apikey = await first.newApiKey();
  expect(await usedBy(user, "auth", { apikey })).toEqual({ status: 403, used: limit });
  first.clock.advance(3600);
  expect(await usedBy(user, "get", { since })).toEqual({ status: 200, used: 1 });
});

test("a poll that its key refuses does not count against the user", async () => {
  const apikey = await first.newApiKey({ keyLimit: 3 });
  const since = await synced();
  const statuses: number[] = [];
  for (let call = 0; call < 5; call++) statuses.push((await user.call("get", { since, apikey })).status);
  expect(statuses).toEqual([200, 200, 200, 403, 403]);
  expect((await usedBy(user, "stats")).used).toBe(3 + 3 + 1);
});

test("a poll with a revoked app password, or with the account's former password, is 401 at once", async () => {
  const since = await synced();
  const { phone, id } = await signIn();
  await phone.get({ since });
  commands = [];
  await phone.get({ since });
  expect(commands).toEqual([["GetItemCommand", 1]]);
  await elsewhere.ok("app_passwords", { revoke: id });
  expect((await phone.call("get", { since })).status).toBe(401);
  await elsewhere.ok("password", { new_password: "another horse" });
  expect((await user.call("get", { since })).status).toBe(401);
});

test("once a day a poll writes: it raises the clock, and an app password remembers the day", async () => {
  const since = await synced();
  const { phone, id } = await signIn();
  await phone.get({ since });
  first.clock.advance(day);
  const next = await phone.get({ since });
  expect(Number(next.since)).toBe(Number(since) + day);
  commands = [];
  await phone.get({ since: next.since });
  expect(commands.map(([name]) => name)).toEqual(["GetItemCommand"]);
  const { list } = JSON.parse((await user.ok("app_passwords")).body);
  expect(Number(list[id].time_used)).toBeGreaterThan(Number(since));
});
