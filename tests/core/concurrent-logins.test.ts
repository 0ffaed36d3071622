// SPDX-License-Identifier: MIT

import { randomUUID } from "node:crypto";
import { createPasswordHasher } from "@reading-list/http/compose/password-hasher.ts";
import { TestUser } from "@reading-list/testing/client.ts";
import { FakeClock } from "@reading-list/testing/fake-clock.ts";
import { startDynamodbService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";

const clock = new FakeClock();
const tableName = `test-${randomUUID()}`;
/** Two processes on one table. */
let services: [TestService, TestService];
let user: TestUser;
let verified = 0;
/** Calls of the database in the last call. */
let databaseCalls = 0;

beforeAll(async () => {
  const PROOF_SECRET = "a secret that both processes have";
  const env = { PROOF_SECRET, TABLE_NAME: tableName, LOCAL_API_KEY: "one-key-for-both" };
  const start = () =>
    startDynamodbService(env, {
      clock,
      // The real cost, which lets concurrent calls overtake each other.
      passwords: createPasswordHasher(),
      report: ({ tally }) => {
        verified += tally.passwordsVerified;
        databaseCalls = tally.databaseCalls;
      },
    });
  services = [await start(), await start()];
});

beforeEach(async () => {
  user = await services[0].newUser();
  verified = 0;
});

/** The statuses of concurrent calls, half of them to each process. */
async function callAtOnce(calls: number, passwordOf: (call: number) => string): Promise<Record<number, number>> {
  const answers = await Promise.all(
    Array.from({ length: calls }, (_, call) =>
      new TestUser(services[call % 2] as TestService, user.credentials.username, passwordOf(call)).call("auth"),
    ),
  );
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

test("exactly 10 of 100 concurrent wrong passwords are answered with 401; the other calls are 403, or 503 while they wait", async () => {
  let wrong = 0;
  // On a busy machine some of the ten give up their turn, and leave it to a further guess.
  for (let round = 0; wrong < 10 && round < 20; round++) {
    const { 401: now = 0, 403: lockedOut = 0, 503: busy = 0 } = await callAtOnce(100, (call) => `guess ${call}`);
    expect(now + lockedOut + busy).toBe(100);
    wrong += now;
    // Places that were not given back are free then.
    clock.advance(10);
  }
  expect(wrong).toBe(10);
  const before = verified;
  expect(await callAtOnce(10, () => "a further guess")).toEqual({ 403: 10 });
  expect(verified).toBe(before);
});

test("100 concurrent calls with the right password all succeed, even if none is cached", async () => {
  const right = user.credentials.password;
  expect(await callAtOnce(100, () => right)).toEqual({ 200: 100 });
  clock.advance(15 * 60 + 1);
  expect(await callAtOnce(40, () => right)).toEqual({ 200: 40 });
});

test("a call with the right password does not count as a failed sign-in", async () => {
  const right = user.credentials.password;
  for (let round = 0; round < 3; round++) {
    expect(await callAtOnce(3, () => `guess ${round}`)).toEqual({ 401: 3 });
    expect(await callAtOnce(20, () => right)).toEqual({ 200: 20 });
  }
  expect(await callAtOnce(2, (call) => `last guess ${call}`)).toEqual({ 401: 1, 403: 1 });
});

describe("a password that one process has verified", () => {
  const auth = (process: 0 | 1, password = user.credentials.password) =>
    new TestUser(services[process], user.credentials.username, password).call("auth");

  test("is not verified by another one: a call counts its user and its key in a write each", async () => {
    await auth(0);
    // The second process reads the key and the setting here.
    await services[1].call("api");
    clock.advance(2);
    expect((await auth(1)).status).toBe(200);
    expect(verified).toBe(1);
    expect(databaseCalls).toBe(2);
  });

  test("is refused by all processes as soon as it is changed", async () => {
    await auth(0);
    const { username } = user.credentials;
    await services[0].operator.setPasswordHash(username, await createPasswordHasher().hash("another"));
    expect([(await auth(0)).status, (await auth(1)).status]).toEqual([401, 401]);
    expect((await auth(1, "another")).status).toBe(200);
  });

  test("is verified again after a day", async () => {
    await auth(0);
    clock.advance(86_400);
    await auth(1);
    expect(verified).toBe(2);
  });
});
