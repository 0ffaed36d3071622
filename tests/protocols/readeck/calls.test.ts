// SPDX-License-Identifier: MIT

import type { CallRecord } from "@reading-list/http/watch/watch-calls.ts";
import { newName, type TestUser } from "@reading-list/testing/client.ts";
import { ReadeckDevice } from "@reading-list/testing/readeck-device.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, describe, expect, test } from "vitest";
import { newReadeckUser } from "./user.ts";

let service: TestService;
let user: TestUser;
let device: ReadeckDevice;
const records: CallRecord[] = [];

beforeAll(async () => {
  service = await startTestService(
    { PUBLIC_KEY_ADDRESS_LIMIT: "100000" },
    { report: (record) => records.push(record) },
  );
  ({ user, device } = await newReadeckUser(service));
});

const tokenOf = (more = "") => `${device.token}${more}`;
const bare = () => service.fetch(`${service.baseUrl}/readeck/api/profile`);
const json = (text: string) => ({ headers: { "content-type": "application/json" }, body: text });
const withKey = async (record?: Parameters<TestService["newApiKey"]>[0]) =>
  new ReadeckDevice(user, tokenOf(`.${await service.newApiKey(record)}`));
const inMaintenance = async () => {
  await service.operator.beginMaintenance({ text: "back soon" });
  service.clock.advance(6);
  const answer = await device.call("GET", "profile");
  await service.operator.endMaintenance();
  service.clock.advance(6);
  return answer;
};

test("info needs no credentials", async () => {
  const { status, json } = await service.fetch(`${service.baseUrl}/readeck/api/info`);
  expect(status).toBe(200);
  expect(json()).toMatchObject({
    version: { canonical: "0.22.2", release: "0.22.2" },
    features: ["oauth"],
  });
});

test("profile names the user of the token", async () => {
  const { json } = await device.call("GET", "profile");
  expect(json()).toMatchObject({ user: { username: user.credentials.username } });
});

describe("an error has Readeck's form and its own status", () => {
  test.each<[string, number, string, () => ReturnType<ReadeckDevice["call"]>]>([
    ["no token", 401, "no credentials; sign in", bare],
    ["a token of another form", 401, "token", () => new ReadeckDevice(user, "abc").call("GET", "profile")],
    ["a wrong password", 401, "incorrect", () => new ReadeckDevice(user, `${newName()}.x`).call("GET", "profile")],
    ["an unknown API key", 401, "apikey", () => new ReadeckDevice(user, tokenOf(".unknown")).call("GET", "profile")],
    ["a disabled API key", 403, "disabled", async () => (await withKey({ status: "disabled" })).call("GET", "profile")],
    ["an unknown path", 404, "no such path", () => device.call("GET", "nothing")],
    ["another method", 404, "no such path", () => device.call("PUT", "profile")],
    ["an unknown bookmark", 404, "the page is not in the list", () => device.call("GET", "bookmarks/12")],
    ["an id that is no number", 404, "the page is not in the list", () => device.call("DELETE", "bookmarks/abc")],
    ["a missing field", 422, "url is missing", () => device.call("POST", "bookmarks", {})],
    ["a field of another type", 422, "url must be a string", () => device.call("POST", "bookmarks", { url: 1 })],
    ["an invalid parameter", 422, "sort must be one of", () => device.call("GET", "bookmarks?sort=colour")],
    ["invalid JSON", 422, "not a JSON object", () => device.send("POST", "bookmarks", json("{"))],
    ["text that is not UTF-8", 422, "not valid UTF-8", () => device.call("GET", "bookmarks?search=%ff")],
    ["a path that is not UTF-8", 422, "path", () => device.call("GET", "bookmarks/%ff")],
    ["too many parameters", 422, "1,000 parameters", () => device.call("GET", `bookmarks?${"a&".repeat(1001)}`)],
    ["the limit of a key", 429, "apikey", async () => (await withKey({ keyLimit: 0 })).call("GET", "profile")],
    ["the limit of a user", 429, "username", async () => (await withKey({ userLimit: 0 })).call("GET", "profile")],
    ["maintenance", 503, "back soon", inMaintenance],
  ])("%s", async (_, status, message, call) => {
    const answer = await call();
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body)).toMatchObject({ status, message: expect.stringContaining(message) });
    expect(answer.headers.get("content-type")).toContain("application/json");
    if (status === 429) expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  });
});

test("a form and a query string with a genuine replacement character are UTF-8", async () => {
  expect((await device.call("GET", "bookmarks?search=%EF%BF%BD")).status).toBe(200);
  const form = { headers: { "content-type": "application/x-www-form-urlencoded" }, body: "title=100%&title=%EF%BF%BD" };
  const refused = await device.send("POST", "bookmarks", form);
  expect(JSON.parse(refused.body)).toMatchObject({ message: expect.stringContaining("url is missing") });
});

test("wrong passwords lock their address out, and not the tokens", async () => {
  const { user: guessed, device: owner } = await newReadeckUser(service);
  const guess = { ...guessed.credentials, password: "wrong" };
  for (let n = 0; n < 10; n++) await expect(ReadeckDevice.signIn(guessed, guess)).rejects.toThrow("auth: 401");
  await expect(ReadeckDevice.signIn(guessed)).rejects.toThrow("auth: 429");
  expect((await owner.call("GET", "profile")).status).toBe(200);
});

test("auth makes an app password with the application's name, and stores only its hash", async () => {
  const { user: owner } = await newReadeckUser(service);
  const phone = await ReadeckDevice.signIn(owner, owner.credentials, "My phone 📱");
  const password = phone.token.split(".")[1] ?? "";
  // With an app password it makes no other one.
  expect((await ReadeckDevice.signIn(owner, { ...owner.credentials, password })).token).toBe(phone.token);
  const stored = JSON.stringify(await service.records());
  expect(stored.match(/Readeck: My phone/g)).toHaveLength(1);
  expect(stored).not.toContain(password);
});

test("every call counts against the user and the key", async () => {
  const limited = await withKey({ userLimit: 1000, keyLimit: 2 });
  const remaining = [];
  for (let n = 0; n < 3; n++) {
    const { status, headers } = await limited.call("GET", "bookmarks");
    remaining.push([status, headers.get("x-limit-key-remaining")]);
  }
  expect(remaining).toEqual([
    [200, "1"],
    [200, "0"],
    [429, "0"],
  ]);
});

test("the log names the route, and neither the token nor an id", async () => {
  records.length = 0;
  await device.call("GET", "bookmarks/123456");
  await device.call("GET", "nothing/123456");
  expect(records.map(({ endpoint, route, error }) => [endpoint, route, error?.kind])).toEqual([
    ["readeck", "GET /api/bookmarks/{id}", "notFound"],
    ["readeck", undefined, "notFound"],
  ]);
  expect(JSON.stringify(records)).not.toMatch(/123456|secret/);
});
