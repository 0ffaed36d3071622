import { randomUUID } from "node:crypto";
import { createPasswordHasher } from "@reading-list/functions/compose/password-hasher.ts";
import { startEmbeddedDatabase } from "@reading-list/local/embedded-database.ts";
import { TestUser } from "@reading-list/testing/client.ts";
import { atEndOfFile } from "@reading-list/testing/end-of-file.ts";
import { FakeClock } from "@reading-list/testing/fake-clock.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, beforeEach, expect, inject, test } from "vitest";

const clock = new FakeClock();
/** Two processes on one table. */
let services: [TestService, TestService];
let user: TestUser;
let verified = 0;

beforeAll(async () => {
  let endpoint = inject("dynamodbEndpoint");
  if (!endpoint) {
    const database = await startEmbeddedDatabase(":memory:");
    atEndOfFile(database.stop);
    ({ endpoint } = database);
  }
  const env = { DYNAMODB_ENDPOINT: endpoint, TABLE_NAME: `test-${randomUUID()}`, LOCAL_API_KEY: "one-key-for-both" };
  const start = () =>
    startTestService(env, {
      clock,
      // The real cost, which lets concurrent calls overtake each other.
      passwords: createPasswordHasher(),
      report: ({ tally }) => {
        verified += tally.passwordsVerified;
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

test("exactly 10 of 100 concurrent wrong passwords are verified; the other calls are 403", async () => {
  expect(await callAtOnce(100, (call) => `guess ${call}`)).toEqual({ 401: 10, 403: 90 });
  expect(verified).toBe(10);
  expect(await callAtOnce(10, () => "a further guess")).toEqual({ 403: 10 });
  expect(verified).toBe(10);
});

test("100 concurrent calls with the right password all succeed, also if none of them is cached", async () => {
  const right = user.credentials.password;
  expect(await callAtOnce(100, () => right)).toEqual({ 200: 100 });
  clock.advance(15 * 60 + 1);
  expect(await callAtOnce(40, () => right)).toEqual({ 200: 40 });
});

test("a call with the right password does not count as a failed login", async () => {
  const right = user.credentials.password;
  for (let round = 0; round < 3; round++) {
    expect(await callAtOnce(3, () => `guess ${round}`)).toEqual({ 401: 3 });
    expect(await callAtOnce(20, () => right)).toEqual({ 200: 20 });
  }
  expect(await callAtOnce(2, (call) => `last guess ${call}`)).toEqual({ 401: 1, 403: 1 });
});
