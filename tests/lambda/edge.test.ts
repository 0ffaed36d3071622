// SPDX-License-Identifier: MIT

import type { Handler } from "@reading-list/http/call.ts";
import { createCallLog } from "@reading-list/http/watch/call-log.ts";
import { watchCalls } from "@reading-list/http/watch/watch-calls.ts";
import { behindEdge, refuseDirectCall } from "@reading-list/lambda/edge.ts";
import { requestOf } from "@reading-list/testing/request.ts";
import { expect, test } from "vitest";

const lines: string[] = [];
const refused = watchCalls(
  { name: "get" },
  { clock: Date, windowSeconds: 3600, defaultLimits: { user: 320, key: 10_000 }, addressLimit: 2000 },
  refuseDirectCall,
  createCallLog({ namespace: "reading-list/test", output: { write: (line: string) => lines.push(line) > 0 } }),
);
const echo: Handler = async ({ headers, address }) => ({
  status: 200,
  headers: {},
  body: `${address} ${Object.keys(headers)} ${headers.host}`,
});
const call = (secret: string | undefined, headers: Record<string, string>) =>
  behindEdge(secret, echo, refused)(requestOf({ headers, address: "192.0.2.9" }));

test("without CloudFront a call has the address that API Gateway sees", async () => {
  const headers = { "x-forwarded-for": "203.0.113.1", host: "id.gateway.example" };
  expect((await call(undefined, headers)).body).toBe("192.0.2.9 x-forwarded-for,host id.gateway.example");
});

test("behind CloudFront a call has the address and host that CloudFront sets, whatever the caller forwards", async () => {
  const headers = {
    "x-edge-secret": "s",
    "x-edge-address": "203.0.113.1",
    "x-edge-host": "list.example.com",
    "x-forwarded-for": "198.51.100.7, 192.0.2.9",
    host: "id.gateway.example",
  };
  expect((await call("s", headers)).body).toBe("203.0.113.1 x-forwarded-for,host list.example.com");
});

test("while the secret is replaced, functions with the new one and with the previous one answer", async () => {
  const headers = { "x-edge-secret": "new,former", "x-edge-address": "203.0.113.1" };
  expect((await call("new", headers)).status).toBe(200);
  expect((await call("former", headers)).status).toBe(200);
});

test.each([{}, { "x-edge-secret": "guess" }, { "x-edge-secret": "" }, { "x-edge-secret": "former,older,s" }])(
  "a call that did not come through CloudFront is 403, logged and counted without the secret: %o",
  async (headers) => {
    const answer = await call("s", headers);
    expect(answer.status).toBe(403);
    expect(answer.headers).toMatchObject({ Status: "403 Forbidden", "X-Limit-Key-Limit": "0" });
    const line = lines.at(-1) ?? "";
    expect(JSON.parse(line)).toMatchObject({ endpoint: "get", source: "192.0.2.9", Errors403: 1, RefusedEdge: 1 });
    expect(line).not.toContain("guess");
  },
);
