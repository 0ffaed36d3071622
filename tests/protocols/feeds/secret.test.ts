// SPDX-License-Identifier: MIT

import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { completeExample } from "@reading-list/core/contract/openapi-examples.ts";
import type { CallRecord } from "@reading-list/http/watch/watch-calls.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { basic, newAppPassword, OpdsReader } from "@reading-list/testing/opds-reader.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";

let service: TestService;
let user: TestUser;
let secret: string;
const records: CallRecord[] = [];

beforeAll(async () => {
  service = await startTestService(
    { PUBLIC_KEY_ADDRESS_LIMIT: "100000" },
    { report: (record) => records.push(record) },
  );
});
beforeEach(async () => {
  user = await service.newUser();
  secret = await newAppPassword(user, { scope: "feed" });
});

const feedUrl = (password: string, ending = "atom") =>
  `${service.baseUrl}/feeds/${user.credentials.username}.${password}.${ending}`;

describe("the secret of a feed", () => {
  const statusOf = async (password: string) => (await service.fetch(feedUrl(password))).status;

  test("belongs to a sign-in with only the scope feed, so that no address gives access to more", async () => {
    expect(await statusOf(secret)).toBe(200);
    for (const scope of ["full", "read"]) {
      const answer = await service.fetch(feedUrl(await newAppPassword(user, { scope })));
      expect([answer.status, answer.headers.get("x-error")]).toEqual([401, expect.stringContaining("scope")]);
    }
    const owner = await service.newUser();
    for (const password of ["", "correct horse", await newAppPassword(owner, { scope: "feed" })])
      expect(await statusOf(encodeURIComponent(password))).toBe(401);
  });

  test.each(endpoints.filter(({ caller }) => caller === "user"))("does not open $name", async (endpoint) => {
    await user.add("https://example.com/");
    const example = completeExample(endpoint, { ...user.credentials, password: secret });
    expect((await service.call(endpoint.name, example)).status).toBe(401);
  });

  test("works for no other protocol", async () => {
    const { username } = user.credentials;
    const bearer = { authorization: `Bearer ${username}.${secret}` };
    const get = async (path: string, headers: Record<string, string>) =>
      (await service.fetch(service.baseUrl + path, { headers })).status;
    expect(await get("/opds", { authorization: basic(username, secret) })).toBe(401);
    expect(await get("/opds/v2/unread", { authorization: basic(username, secret) })).toBe(401);
    expect(await get("/readeck/api/bookmarks", bearer)).toBe(401);
    expect(await get("/wallabag/api/entries", bearer)).toBe(401);
  });

  test("ends with its revocation and its time", async () => {
    const { body } = await user.ok("app_passwords");
    const [id = ""] = Object.keys(JSON.parse(body).list);
    await user.ok("app_passwords", { revoke: id });
    expect(await statusOf(secret)).toBe(401);
    const expires = String(Math.floor(service.clock.now() / 1000) + 60);
    const short = await newAppPassword(user, { scope: "feed", expires });
    expect(await statusOf(short)).toBe(200);
    service.clock.advance(61);
    expect(await statusOf(short)).toBe(401);
  });

  test("costs wrong ones the lockout, which the right one passes", async () => {
    for (let i = 0; i < 10; i++) expect(await statusOf("a".repeat(20))).toBe(401);
    expect(await statusOf("a".repeat(20))).toBe(429);
    expect(await statusOf(secret)).toBe(200);
  });

  test("is in no record of a call", async () => {
    records.length = 0;
    await statusOf(secret);
    await service.fetch(`${feedUrl(secret)}?state=none`);
    await service.fetch(feedUrl(secret, "txt"));
    await statusOf("b".repeat(20));
    expect(records.map(({ route }) => route)).toEqual([
      "GET /{secret}.atom",
      "GET /{secret}.atom",
      undefined,
      "GET /{secret}.atom",
    ]);
    expect(JSON.stringify(records)).not.toMatch(new RegExp(`${secret}|b{20}`));
  });
});

test("a sign-in of scope read opens the catalogue", async () => {
  expect((await (await OpdsReader.signIn(user, { scope: "read" })).call("/opds")).status).toBe(200);
});
