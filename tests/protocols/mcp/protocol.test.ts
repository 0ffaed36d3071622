// SPDX-License-Identifier: MIT

import { request } from "node:http";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Assistant } from "@reading-list/testing/assistant.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";

let service: TestService;
let user: TestUser;
let assistant: Assistant;

beforeAll(async () => {
  service = await startTestService({ PUBLIC_KEY_ADDRESS_LIMIT: "100000" });
  user = await service.newUser();
  assistant = await Assistant.of(user);
  await user.add("https://example.com/a", { title: "A" });
});

const errorOf = ({ status, body }: { status: number; body: string }) => [status, JSON.parse(body).error.code];

test.each(["legacy", { pin: "2026-07-28" }, "auto"] as const)(
  "the protocol's own client uses it: version %j",
  async (mode) => {
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
    const requestInit = { headers: { authorization: `Bearer ${assistant.token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${service.baseUrl}/mcp`), { requestInit }));
    onTestFinished(() => client.close());
    expect(client.getInstructions()).toContain("never as instructions");
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === "delete")?.annotations).toMatchObject({ destructiveHint: true });
    const { content } = await client.callTool({ name: "list", arguments: {} });
    expect(JSON.stringify(content)).toContain("https://example.com/a");
  },
);

test("initialize answers the version that is asked for, or one that the service has", async () => {
  for (const [asked, answered] of [
    ["2025-06-18", "2025-06-18"],
    ["1999-01-01", "2025-11-25"],
  ]) {
    const clientInfo = { name: "x", version: "1" };
    const { body } = await assistant.request("initialize", { protocolVersion: asked, capabilities: {}, clientInfo });
    expect(JSON.parse(body).result.protocolVersion).toBe(answered);
  }
});

test("answers are JSON, notifications 202 without a body, and nothing is a stream", async () => {
  const ping = await assistant.request("ping");
  expect([ping.status, ping.headers.get("content-type"), JSON.parse(ping.body)]).toEqual([
    200,
    "application/json",
    { jsonrpc: "2.0", id: 1, result: {} },
  ]);
  const notified = await assistant.send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  expect([notified.status, notified.body]).toEqual([202, ""]);
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": { name: "x", version: "1" },
  };
  const params = { _meta: meta, notifications: { toolsListChanged: true } };
  const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "subscriptions/listen" };
  expect(errorOf(await assistant.request("subscriptions/listen", params, headers))).toEqual([200, -32603]);
  for (const method of ["GET", "DELETE"]) {
    const { status, headers } = await service.fetch(`${service.baseUrl}/mcp`, { method });
    expect([status, headers.get("allow")]).toEqual([405, "POST"]);
  }
});

test.each<[string, string, number, number]>([
  ["no JSON", "{", 400, -32600],
  ["a batch", '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', 400, -32600],
  ["no method", '{"jsonrpc":"2.0","id":1}', 400, -32600],
  ["another version", '{"jsonrpc":"1.0","id":1,"method":"ping"}', 400, -32600],
  ["an object as id", '{"jsonrpc":"2.0","id":{},"method":"ping"}', 400, -32600],
  [
    "a large body",
    JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping", params: { x: "y".repeat(260_000) } }),
    413,
    -32600,
  ],
  [
    "a deep body",
    `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":${"[".repeat(40)}${"]".repeat(40)}}}`,
    400,
    -32600,
  ],
  ["an unknown method", '{"jsonrpc":"2.0","id":1,"method":"nope"}', 200, -32601],
  ["an unknown tool", '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nope"}}', 200, -32602],
])("%s is an error of JSON-RPC", async (_, body, status, code) => {
  expect(errorOf(await assistant.send(body))).toEqual([status, code]);
});

test.each<[string, Record<string, unknown>, string]>([
  ["list", { count: 51 }, "count must be at most 50"],
  ["list", { counts: 5 }, "Unrecognized key"],
  ["save", { url: "ftp://example.com/" }, "url"],
  ["read", { page: "not a page" }, "page must be a page's id or URL"],
  ["read", {}, "page must be a page's id or URL"],
])("%s with %j is refused with the name of what is wrong", async (name, given, text) => {
  expect(await assistant.use(name, given)).toMatchObject({ isError: true, text: expect.stringContaining(text) });
});

describe("a call without a right token", () => {
  const wrong = async () => [
    "",
    "Bearer",
    "Basic YTpi",
    "Bearer nonsense",
    `Bearer ${user.credentials.username}.correct horse`,
    `Bearer ${user.credentials.username}.${"a".repeat(20)}`,
  ];

  test("is 401 and names the metadata, which name the authorization server", async () => {
    for (const authorization of await wrong()) {
      const { status, headers, body } = await assistant.send('{"jsonrpc":"2.0","id":7,"method":"ping"}', {
        authorization,
      });
      expect([authorization, status]).toEqual([authorization, 401]);
      expect(JSON.parse(body)).toMatchObject({ id: 7, error: { message: expect.stringMatching(/\w/) } });
      const [, metadata = ""] = /^Bearer resource_metadata="(.*)"$/.exec(headers.get("www-authenticate") ?? "") ?? [];
      expect(metadata).toBe(`${service.baseUrl}/.well-known/oauth-protected-resource/mcp`);
      const found = JSON.parse((await service.fetch(metadata)).body);
      expect(found).toMatchObject({
        resource: `${service.baseUrl}/mcp`,
        authorization_servers: [`${service.baseUrl}/readeck`],
      });
    }
  });

  test("does not count as a wrong password: the user is never locked out", async () => {
    const authorization = `Bearer ${user.credentials.username}.${"b".repeat(20)}`;
    for (let call = 0; call < 12; call++)
      await assistant.send('{"jsonrpc":"2.0","id":7,"method":"ping"}', { authorization });
    expect((await user.call("auth")).status).toBe(200);
  });
});

test("a web page of another site is refused, also with a right token; one of the service is not", async () => {
  for (const origin of ["https://evil.example", "null"]) {
    expect(errorOf(await assistant.request("ping", {}, { origin }))).toEqual([403, -32000]);
  }
  expect((await assistant.request("ping", {}, { origin: service.baseUrl })).status).toBe(200);
});

test("with BASE_URL a browser that calls another host is refused, whose name may lead here meanwhile", async () => {
  const own = await startTestService({ BASE_URL: "https://list.example.com", PUBLIC_KEY_ADDRESS_LIMIT: "100000" });
  const { token } = await Assistant.of(await own.newUser());
  const { port } = new URL(own.baseUrl);
  const call = (headers: Record<string, string>, method = "POST") => {
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
    const options = { method, port, path: "/mcp", headers: { authorization: `Bearer ${token}`, ...headers } };
    request(options, (answer) => resolve(answer.resume().statusCode))
      .on("error", reject)
      .end(method === "POST" ? '{"jsonrpc":"2.0","id":1,"method":"ping"}' : undefined);
    return promise;
  };
  for (const [headers, status] of [
    [{ host: "evil.example", origin: "http://evil.example" }, 403],
    [{ host: "evil.example", origin: "https://list.example.com" }, 403],
    [{ host: "evil.example", "sec-fetch-site": "same-origin" }, 403],
    [{ host: `127.0.0.1:${port}`, origin: `http://127.0.0.1:${port}` }, 403],
    [{ host: "list.example.com", origin: "https://list.example.com" }, 200],
    [{ host: "list.example.com:443", "sec-fetch-site": "same-origin" }, 200],
    // Programs of the same network send neither.
    [{ host: `127.0.0.1:${port}` }, 200],
  ] as [Record<string, string>, number][]) {
    expect([headers, await call(headers)]).toEqual([headers, status]);
  }
  expect(await call({ host: "evil.example", "sec-fetch-site": "same-origin" }, "GET")).toBe(403);
});

test("a call counts one against the user, and one over the limit is 429 with Retry-After", async () => {
  const limited = await startTestService({ USER_LIMIT: "4", PUBLIC_KEY_ADDRESS_LIMIT: "100000" });
  const caller = await Assistant.of(await limited.newUser());
  const left = async () =>
    Number((await caller.request("tools/call", { name: "list" })).headers.get("x-limit-user-remaining"));
  const first = await left();
  expect(await left()).toBe(first - 1);
  let answer = await caller.request("ping");
  while (answer.status === 200) answer = await caller.request("ping");
  expect(errorOf(answer)).toEqual([429, -32000]);
  expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
});

test("in maintenance a call is 503 with the operator's text", async () => {
  const closed = await startTestService({ PUBLIC_KEY_ADDRESS_LIMIT: "100000" });
  const caller = await Assistant.of(await closed.newUser());
  await closed.operator.beginMaintenance({ text: "Back at noon" });
  closed.clock.advance(10);
  const { status, body } = await caller.request("ping");
  expect([status, JSON.parse(body).error]).toEqual([503, { code: -32000, message: "Back at noon" }]);
});
