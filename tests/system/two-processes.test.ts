import { randomUUID } from "node:crypto";
import { newName } from "@reading-list/testing/client.ts";
import { FakeClock } from "@reading-list/testing/fake-clock.ts";
import { startDynamodbService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, expect, test } from "vitest";

/** A page that the reader refuses to fetch, with 400, after the call was admitted. */
const url = "http://127.0.0.1/";
const clock = new FakeClock();
let services: [TestService, TestService];

beforeAll(async () => {
  const env = { TABLE_NAME: `test-${randomUUID()}` };
  services = [await startDynamodbService(env, { clock }), await startDynamodbService(env, { clock })];
});

async function newKey(keyLimit: number) {
  const apikey = randomUUID();
  const record = {
    applicationId: randomUUID(),
    name: "n",
    status: "enabled",
    created: 0,
    userLimit: 3,
    keyLimit,
  } as const;
  await services[0].operator.createApiKey(apikey, record);
  return apikey;
}

/** Makes a call a second after the previous one; returns its status and the remaining calls of the key. */
async function callIn(service: TestService, endpoint: string, parameters: Record<string, string>) {
  clock.advance(1);
  const { status, headers } = await service.call(endpoint, parameters);
  return [status, Number(headers.get("x-limit-key-remaining"))];
}

test("two processes on one table both show the exact remaining calls of a key", async () => {
  const apikey = await newKey(10_000);
  const [one, other] = services;
  for (let remaining = 9999; remaining > 9980; remaining -= 2) {
    expect(await callIn(one, "text", { apikey, url })).toEqual([400, remaining]);
    expect(await callIn(other, "api", { apikey })).toEqual([200, remaining]);
    expect(await callIn(other, "text", { apikey, url })).toEqual([400, remaining - 1]);
  }
});

test("a call refused in one process is not counted in the other", async () => {
  const apikey = await newKey(10_000);
  const [one, other] = services;
  const user = { apikey, username: newName(), password: "correct horse" };
  expect(await callIn(one, "signup", user)).toEqual([200, 9999]);
  for (const remaining of [9998, 9997, 9996]) expect(await callIn(one, "auth", user)).toEqual([200, remaining]);
  expect(await callIn(other, "auth", user)).toEqual([403, 9996]);
  expect(await callIn(one, "api", { apikey })).toEqual([200, 9996]);
  expect(await callIn(one, "auth", user)).toEqual([403, 9996]);
  expect(await callIn(other, "api", { apikey })).toEqual([200, 9996]);
});

test("two processes together admit exactly as many calls as the limit, also when both are called at once", async () => {
  const [one, other] = services;
  const apikey = await newKey(300);
  const call = (service: TestService) => service.call("text", { apikey, url });
  const answers = await Promise.all(Array.from({ length: 400 }, (_, i) => call(i % 2 ? one : other)));
  expect(answers.filter(({ status }) => status === 400)).toHaveLength(300);
  expect(answers.filter(({ status }) => status === 403)).toHaveLength(100);
});
