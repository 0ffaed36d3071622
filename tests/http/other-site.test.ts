// SPDX-License-Identifier: MIT

import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { isFromOtherSite } from "@reading-list/http/other-site.ts";
import { form, newName, TestUser } from "@reading-list/testing/client.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";

let service: TestService;
let user: TestUser;
let publicKey: string;
let verified = 0;

beforeAll(async () => {
  const report = ({ tally }: { tally: { passwordsVerified: number } }) => {
    verified += tally.passwordsVerified;
  };
  service = await startTestService({}, { report });
  const config = await service.fetch(`${service.baseUrl}/app/config.json`);
  publicKey = JSON.parse(config.body).apiKey;
});
beforeEach(async () => {
  user = new TestUser(service, newName(), "secret");
  await user.ok("signup");
  verified = 0;
});

type Headers = Record<string, string>;
const post = (url: string, fields: Record<string, string>, headers: Headers = {}) =>
  service.fetch(url, {
    method: "POST",
    body: form(fields).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
  });
const auth = (fields: Record<string, string> = {}, headers: Headers = {}) =>
  post(service.urlOf("auth"), { ...user.credentials, apikey: publicKey, ...fields }, headers);

type Send = (password: string, headers: Headers) => ReturnType<typeof post>;

/** A call of each endpoint for which its parameters are valid. */
const callsOfEndpoints = endpoints
  .filter(({ caller }) => caller === "user")
  .map(({ name }): [string, Send] => [
    `/v2/${name}`,
    (password, headers) => {
      const { username } = user.credentials;
      const fields = { url: "http://example.com/", confirm: username, new_password: "new", query: "word" };
      return post(service.urlOf(name), { ...fields, username, password, apikey: publicKey }, headers);
    },
  ]);

/** Each way to send an account password without a key of the caller's own. */
const calls: [string, Send][] = [
  ...callsOfEndpoints,
  [
    "/wallabag/oauth/v2/token",
    (password, headers) => {
      const fields = { grant_type: "password", ...user.credentials, password };
      return post(`${service.baseUrl}/wallabag/oauth/v2/token`, fields, headers);
    },
  ],
  [
    "/readeck/api/auth",
    (password, headers) => {
      const fields = { application: "app", ...user.credentials, password };
      return post(`${service.baseUrl}/readeck/api/auth`, fields, headers);
    },
  ],
  [
    "/readeck as a Bearer token",
    (password, headers) => {
      const authorization = `Bearer ${user.credentials.username}.${password}`;
      return service.fetch(`${service.baseUrl}/readeck/api/bookmarks`, { headers: { authorization, ...headers } });
    },
  ],
];

const otherSites: Headers[] = [
  { origin: "https://evil.example" },
  { origin: "null" },
  { "sec-fetch-site": "cross-site" },
  { "sec-fetch-site": "same-site" },
];
const [otherSite = {}] = otherSites;

describe("a page of another site", () => {
  test.each(calls)("that sends passwords to %s is 403, has none verified, and locks nobody out", async (_, send) => {
    for (const headers of otherSites) {
      for (let guess = 0; guess < 3; guess++) {
        const answer = await send(`guess${guess}`, headers);
        expect([answer.status, answer.headers.get("retry-after")]).toEqual([403, expect.stringMatching(/^\d+$/)]);
      }
    }
    expect(verified).toBe(0);
    expect((await auth()).status).toBe(200);
  });

  test("may use an app password, whose wrong guesses lock nobody out", async () => {
    const { password } = JSON.parse((await user.ok("app_passwords", { create: "Page" })).body);
    expect((await auth({ password }, otherSite)).status).toBe(200);
    for (let guess = 0; guess < 11; guess++) {
      expect((await auth({ password: "a".repeat(20) }, otherSite)).status).toBe(401);
    }
    expect((await auth()).status).toBe(200);
  });

  test("may send the account's password with a key of its own", async () => {
    expect((await auth({ apikey: service.apiKey }, otherSite)).status).toBe(200);
  });

  test("can send a GET unseen, so wrong passwords by GET lock only further GETs", async () => {
    const get = (password: string) =>
      service.fetch(`${service.urlOf("auth")}?${form({ ...user.credentials, password, apikey: publicKey })}`);
    for (let guess = 0; guess < 10; guess++) expect((await get(`guess ${guess}`)).status).toBe(401);
    expect((await get("secret")).status).toBe(403);
    expect((await auth()).status).toBe(200);
  });
});

test.each([
  [{ origin: "https://read.example.com", host: "api.example.com" }, ["https://read.example.com"], false],
  [{ origin: "http://read.example.com", host: "api.example.com" }, ["https://read.example.com"], true],
  [{ origin: "https://b.cloudfront.net", host: "api.example.com" }, ["https://a.cloudfront.net"], true],
  [{ origin: "https://api.example.com", host: "api.example.com:443" }, [], false],
  [{ origin: "http://127.0.0.1:3000", host: "127.0.0.1:3000" }, [], false],
  [{ origin: "http://127.0.0.1:8080", host: "127.0.0.1:3000" }, [], true],
  [{ origin: "moz-extension://a-b-c", host: "api.example.com" }, [], false],
  [{ host: "api.example.com", "sec-fetch-site": "none" }, [], false],
  [{ host: "api.example.com" }, [], false],
])("a call with %o to a service with the origins %o: of another site is %s", (headers, ownOrigins, expected) => {
  expect(isFromOtherSite({ headers } as unknown as Parameters<typeof isFromOtherSite>[0], ownOrigins)).toBe(expected);
});
