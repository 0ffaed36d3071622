// SPDX-License-Identifier: MIT

import { once } from "node:events";
import { type IncomingHttpHeaders, request } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import * as z from "@reading-list/core/contract/bounded.ts";
import { describeBound, limitBody, longestBody, shortBody } from "@reading-list/core/contract/bounded.ts";
import { createApiHandler } from "@reading-list/http/api.ts";
import type { HttpRequest } from "@reading-list/http/call.ts";
import { type GatewayEvent, toLambda } from "@reading-list/lambda/to-lambda.ts";
import { createGateway } from "@reading-list/local/gateway.ts";
import { type BoundedRoute, listAllRoutes } from "@reading-list/protocols/all-routes.ts";
import { wallabag } from "@reading-list/protocols/wallabag/api.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import * as zod from "zod";

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});

/** APIs of the web reader that only a service with their settings has. */
const needSettings = ["oidc", "passkeys", "mail"];
const routes = listAllRoutes().filter(({ api }) => !needSettings.includes(api));

async function sendBody({ host, method, path }: BoundedRoute, bytes: number) {
  const url = (host === "main" ? service.baseUrl : service.textUrl) + path.replaceAll(/\{[^}]+\}/g, "x");
  const headers = { "content-type": "application/x-www-form-urlencoded", "content-length": bytes };
  const sent = request(url, { method: method === "ANY" ? "POST" : method, headers });
  const [response] = await once(sent.end("unknown=".padEnd(bytes, "+")), "response");
  return {
    status: response.statusCode as number,
    headers: response.headers as IncomingHttpHeaders,
    body: await text(response),
  };
}

const tooLong = "body exceeds";

describe.each(routes.map((route) => [route.method, route.path, route] as const))("%s %s", (_method, _path, route) => {
  test("refuses a body above the largest that its fields can fill, also of unknown parameters", async () => {
    const { status, headers, body } = await sendBody(route, route.maxBody + 1);
    expect(status).toBe(route.api === "v2" && route.maxBody < longestBody ? 400 : 413);
    if (route.method === "HEAD") return;
    expect(body).toContain(tooLong);
    if (route.api === "v2") expect(headers["x-error"]).toContain(tooLong);
  });

  test.runIf(route.maxBody <= 1_000_000)("reads a body of that size", async () => {
    const { status, body } = await sendBody(route, route.maxBody);
    expect(status).not.toBe(413);
    expect(body).not.toContain(tooLong);
  });
});

test("a body without long texts has up to 64 kB, add's 256 kB, the Kobo shop's 2 MB, and none more than 10 MB", () => {
  const limits = new Map(listAllRoutes().map(({ method, path, maxBody }) => [`${method} ${path}`, maxBody]));
  expect(limits.get("POST /v2/auth")).toBe(64_000);
  expect(limits.get("POST /v2/get")).toBe(64_000);
  expect(limits.get("POST /v2/add")).toBe(256_000);
  expect(limits.get("ANY /kobo/store/{token}/{path+}")).toBe(2_000_000);
  expect(limits.get("POST /mcp")).toBe(256_000);
  for (const path of ["/v2/send", "/v2/highlights", "/v2/article", "/readeck/api/bookmarks", "/wallabag/api/entries"])
    expect(limits.get(`POST ${path}`)).toBe(longestBody);
  expect(Math.max(...limits.values())).toBe(longestBody);
});

test("a schema with a text or a list without a maximum has no largest body", () => {
  for (const field of [zod.string(), zod.array(z.string(9)), zod.record(zod.string(), z.string(9)), zod.unknown()]) {
    expect(() => limitBody(describeBound(z.object({ field }), "input"))).toThrow(/^input\.field.* without a maximum$/);
  }
});

describe("a gateway", () => {
  test("drops a body that is too long while it arrives, and reads it to its end", async () => {
    const bytes = 9 * 1024 * 1024;
    const seen: Pick<HttpRequest, "isBodyDropped">[] = [];
    const handler = Object.assign(
      async ({ isBodyDropped, body }: HttpRequest) => {
        seen.push({ isBodyDropped: isBodyDropped ?? false });
        return { status: 200, headers: {}, body: String(body.length) };
      },
      { maxBodyOf: () => shortBody },
    );
    const refuse = (status: number, body: string) => ({ status, headers: {}, body });
    const gateway = createGateway(new Map([["$default", handler]]), refuse).listen(0, "127.0.0.1");
    await once(gateway, "listening");
    onTestFinished(() => gateway.close().closeAllConnections());
    const { port } = gateway.address() as AddressInfo;
    // More than all bodies may have together: dropped bodies are not held.
    const calls = Array.from({ length: 8 }, () => {
      const sent = request({ host: "127.0.0.1", port, method: "POST", headers: { "content-length": bytes } });
      sent.write("x".repeat(bytes - 1));
      return sent;
    });
    const answers = await Promise.all(
      calls.map(async (sent) => {
        const [response] = await once(sent.end("x"), "response");
        return [response.statusCode, await text(response)];
      }),
    );
    expect(answers).toEqual(calls.map(() => [200, "0"]));
    expect(seen).toEqual(calls.map(() => ({ isBodyDropped: true })));
  });
});

test("a Lambda function refuses a body that is too long", async () => {
  const deps = {
    clock: Date,
    windowSeconds: 3600,
    defaultLimits: { user: 320, key: 10_000 },
    addressLimit: 2000,
    settings: { maintenance: async () => undefined },
    apiKeys: { find: async () => undefined },
    untilDurable: async () => {},
    ownOrigins: [],
  };
  const handler = toLambda(createApiHandler(deps as never, () => {}, wallabag));
  const call = async (bytes: number) => {
    const event = {
      requestContext: { http: { method: "POST", sourceIp: "192.0.2.1" }, requestId: "1" },
      rawPath: "/wallabag/oauth/v2/token",
      rawQueryString: "",
      isBase64Encoded: true,
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: Buffer.from("username=".padEnd(bytes, "+")).toString("base64"),
    };
    return (await handler(event as unknown as GatewayEvent, { awsRequestId: "1" })).statusCode;
  };
  expect(await call(shortBody + 1)).toBe(413);
  expect(await call(shortBody)).toBe(400);
});
