// SPDX-License-Identifier: MIT

import { listMethods, toPath } from "@reading-list/core/contract/endpoint.ts";
import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { SetupError } from "@reading-list/core/errors.ts";
import { ServiceClient } from "@reading-list/testing/client.ts";
import { ReadeckDevice } from "@reading-list/testing/readeck-device.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { WallabagDevice } from "@reading-list/testing/wallabag-device.ts";
import { beforeAll, describe, expect, test } from "vitest";

const publicUrl = "https://example.com/reading";
let service: TestService;

beforeAll(async () => {
  service = await startTestService({ BASE_URL: `${publicUrl}/` });
});

const metadataPaths = ["/.well-known/oauth-authorization-server", "/.well-known/oauth-protected-resource"];
const calls = [
  ...["/health", "/openapi.json", "/reference/", "/app/", "/app/config.json", "/app/service-worker.js", "/opds"].map(
    (path) => ["GET", path],
  ),
  ...endpoints.map((endpoint) => [
    listMethods(endpoint)[0],
    (endpoint.host === "main" ? "" : "/text") + toPath(endpoint),
  ]),
];

test.each(calls)(
  "with BASE_URL=https://example.com/reading a proxy may keep or remove /reading: %s %s",
  async (method, path) => {
    const answers = [`/reading${path}`, path].map((each) => fetch(service.baseUrl + each, method ? { method } : {}));
    const [kept, removed] = await Promise.all(answers);
    expect(kept?.status).not.toBe(404);
    expect(kept?.status).toBe(removed?.status);
  },
);

test.each(["/readinglist/health", "/read", "/reading2", "/reading/reading/health"])(
  "%s is not a path of it",
  async (path) => {
    expect((await fetch(service.baseUrl + path)).status).toBe(404);
  },
);

test.each([
  ["/reading", "/reading/app/"],
  ["/reading/", "/reading/app/"],
  ["/", "/reading/app/"],
  ["/reading/app?url=a", "/reading/app/?url=a"],
  ["/reading/reference", "/reading/reference/"],
])("%s leads to %s, by GET and by HEAD", async (path, location) => {
  for (const method of ["GET", "HEAD"]) {
    const answer = await fetch(service.baseUrl + path, { method, redirect: "manual" });
    expect(answer.headers.get("location"), method).toBe(location);
  }
});

test("the web reader and the API reference name addresses below it", async () => {
  const read = async (path: string) => JSON.parse((await service.fetch(`${service.baseUrl}/reading${path}`)).body);
  expect(await read("/app/config.json")).toMatchObject({ baseUrl: "/reading/", textUrl: `${publicUrl}/text` });
  const { servers, paths } = await read("/openapi.json");
  expect([servers[0].url, paths["/v2/text"].servers[0].url]).toEqual(["/reading/", `${publicUrl}/text`]);
  const { body } = await service.fetch(`${service.baseUrl}/reading/reference/`);
  expect(body).not.toMatch(/(href|src)="\//);
});

const mcpCall = {
  method: "POST",
  headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
  body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
};

test("apps of OAuth find the metadata at the root of the host, before the path", async () => {
  const challenge = (await fetch(`${service.baseUrl}/reading/mcp`, mcpCall)).headers.get("www-authenticate");
  expect(challenge).toBe(`Bearer resource_metadata="https://example.com${metadataPaths[1]}/reading/mcp"`);
  const read = async (path: string) => JSON.parse((await service.fetch(service.baseUrl + path)).body);
  expect(await read(`${metadataPaths[1]}/reading/mcp`)).toMatchObject({
    resource: `${publicUrl}/mcp`,
    authorization_servers: [`${publicUrl}/readeck`],
  });
  expect(await read(`${metadataPaths[0]}/reading/readeck`)).toMatchObject({
    issuer: `${publicUrl}/readeck`,
    token_endpoint: `${publicUrl}/readeck/api/oauth/token`,
  });
});

describe("apps that have its address", () => {
  /** As an app calls it through a proxy that keeps the path. */
  const below = () => {
    const { baseUrl, textUrl, apiKey } = service;
    return new ServiceClient({ baseUrl: `${baseUrl}/reading`, textUrl, apiKey });
  };

  test("of the v2 API, of Readeck and of wallabag work, and get addresses below it", async () => {
    const user = await below().newUser();
    await user.add("https://example.org/");
    const [bookmark] = await (await ReadeckDevice.signIn(user)).bookmarks();
    expect(bookmark?.href).toMatch(/^https:\/\/example\.com\/reading\/readeck\/api\/bookmarks\/\d+$/);
    const device = await new WallabagDevice(below(), user.credentials).signIn();
    const entries = await device.call("GET", "api/entries.json");
    expect(entries.json()).toMatchObject({ total: 1 });
    expect(entries.body.replaceAll("\\/", "/")).toContain(`${publicUrl}/wallabag/api/entries`);
  });
});

test.each([
  ["?a=1", "must have no user, query or fragment"],
  ["/#a", "must have no user, query or fragment"],
  ["/a%20b", "must have a path of only letters, digits and -._~/"],
  ["/a;b", "must have a path of only letters, digits and -._~/"],
])("BASE_URL=https://example.com%s is refused: it %s", async (rest, reason) => {
  const starting = startTestService({ BASE_URL: `https://example.com${rest}` });
  await expect(starting).rejects.toThrow(new SetupError(`BASE_URL: ${reason}`));
});

test("without BASE_URL a service on all addresses shows the operator link with one of this machine", async () => {
  const { operatorLink } = await startTestService({ HOST: "0.0.0.0", LOCAL_API_KEY: "my-own-key" });
  expect((await fetch(new URL(operatorLink ?? ""))).status).toBe(200);
  expect(operatorLink).not.toContain("0.0.0.0");
});
