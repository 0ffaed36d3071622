// SPDX-License-Identifier: MIT

import { once } from "node:events";
import { request } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { text } from "node:stream/consumers";
import type { Handler } from "@reading-list/http/call.ts";
import { createGateway } from "@reading-list/local/gateway.ts";
import { readLocalSettings } from "@reading-list/local/local-settings.ts";
import { form } from "@reading-list/testing/client.ts";
import { plainAnswer } from "@reading-list/testing/request.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { describe, expect, onTestFinished, test, vi } from "vitest";

/** The caller's address that a function gets for a request with these `X-Forwarded-For` lines. */
async function sourceIpOf(TRUST_PROXY: string, ...forwardedFor: string[]): Promise<string> {
  let caller = "";
  const handler: Handler = async ({ address }) => {
    caller = address;
    return plainAnswer(200, "");
  };
  const { trustedProxies } = readLocalSettings({ TRUST_PROXY });
  const gateway = createGateway(new Map([["$default", handler]]), plainAnswer, trustedProxies).listen(0, "127.0.0.1");
  await once(gateway, "listening");
  try {
    const headers = forwardedFor.map((line): [string, string] => ["x-forwarded-for", line]);
    await fetch(`http://127.0.0.1:${(gateway.address() as AddressInfo).port}/`, { headers });
    return caller;
  } finally {
    gateway.close();
  }
}

describe("the caller's address", () => {
  test.each([
    ["is that of the connection by default, whatever the header says", "", ["203.0.113.1"], "127.0.0.1"],
    ["is that of the connection if it does not come from a trusted proxy", "10.0.0.1", ["203.0.113.1"], "127.0.0.1"],
    ["is that of the connection if a trusted proxy sends no header", "127.0.0.1", [], "127.0.0.1"],
    ["is the one that a trusted proxy sends", "127.0.0.1", ["203.0.113.1"], "203.0.113.1"],
    ["is not one that the caller forged", "127.0.0.1", ["198.51.100.7, 203.0.113.1"], "203.0.113.1"],
    [
      "is not one that the caller forged in a separate line",
      "127.0.0.1",
      ["198.51.100.7", "203.0.113.1"],
      "203.0.113.1",
    ],
    [
      "is the last one that is not a trusted proxy",
      "127.0.0.0/8,10.0.0.0/8",
      ["198.51.100.7, 203.0.113.1,10.1.2.3"],
      "203.0.113.1",
    ],
    ["is the first one if all are trusted", "127.0.0.1, 10.0.0.0/8", ["10.1.2.3, 10.4.5.6"], "10.1.2.3"],
    ["may be IPv6", "::1,127.0.0.1,fd00::/8", ["2001:db8::1, fd00::1"], "2001:db8::1"],
    ["has no port", "127.0.0.1", ["203.0.113.1:5555"], "203.0.113.1"],
    ["has no port if it is IPv6", "127.0.0.1", ["[2001:db8::1]:443"], "2001:db8::1"],
    ["has no brackets", "127.0.0.1,fd00::/8", ["[2001:db8::1], [fd00::1]:80"], "2001:db8::1"],
    ["may be IPv4 in IPv6", "127.0.0.1,10.0.0.0/8", ["::ffff:203.0.113.1, ::ffff:10.0.0.1"], "203.0.113.1"],
    [
      "is the last proxy's if the entry before it is not an address",
      "127.0.0.1,10.0.0.1",
      ["203.0.113.1, unknown, 10.0.0.1"],
      "10.0.0.1",
    ],
  ])("%s", async (_, trustProxy, forwardedFor, address) => {
    expect(await sourceIpOf(trustProxy, ...forwardedFor)).toBe(address);
  });

  test("from a trusted proxy is locked out after wrong passwords", async () => {
    const service = await startTestService({ TRUST_PROXY: "127.0.0.1" });
    const user = await service.newUser();
    const callFrom = async (address: string, password: string) => {
      const body = form({ apikey: service.apiKey, ...user.credentials, password });
      const init = { method: "POST", headers: { "x-forwarded-for": address }, body };
      return (await service.fetch(service.urlOf("auth"), init)).status;
    };
    for (let attempt = 0; attempt < 10; attempt++) await callFrom("203.0.113.1", "wrong");
    expect(await callFrom("203.0.113.1", user.credentials.password)).toBe(403);
    expect(await callFrom("198.51.100.7, 203.0.113.1", user.credentials.password)).toBe(403);
    expect(await callFrom("203.0.113.2", user.credentials.password)).toBe(200);
  });
});

test("a proxy that is not trusted is named in the log, once", async () => {
  const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  onTestFinished(() => write.mockRestore());
  const warnings = () => write.mock.calls.map(([line]) => String(line)).filter((line) => line.includes("TRUST_PROXY"));
  const call = (service: TestService, headers: Record<string, string>) =>
    service.fetch(`${service.baseUrl}/health`, { headers });
  const forwarded = { "x-forwarded-for": "203.0.113.1" };
  await call(await startTestService({ LOG_LEVEL: "ERROR", TRUST_PROXY: "127.0.0.1" }), forwarded);
  const service = await startTestService({ LOG_LEVEL: "ERROR", TRUST_PROXY: "10.0.0.1" });
  await call(service, {});
  expect(warnings()).toEqual([]);
  for (let times = 0; times < 3; times++) await call(service, forwarded);
  expect(warnings().map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({
      level: "WARN",
      message: expect.stringMatching(/^calls from 127\.0\.0\.1 have X-Forwarded-For/),
    }),
  ]);
});

describe("settings", () => {
  test.each(["localhost:80", "10.0.0.0/33", "10.0.0.1/8/8", "10", "proxy"])("refuse TRUST_PROXY=%s", (TRUST_PROXY) => {
    expect(() => readLocalSettings({ TRUST_PROXY })).toThrow(
      "TRUST_PROXY: must be IP addresses or CIDR ranges, separated by commas",
    );
  });

  const message = "LOCAL_API_KEY: must be set to your own key, because HOST is not a loopback address";

  test.each(["0.0.0.0", "::", "192.168.0.2", "reading-list.example", "127.0.0.1.example"])(
    "refuse HOST=%s with the default key, which is public",
    (HOST) => {
      expect(() => readLocalSettings({ HOST })).toThrow(message);
      expect(() => readLocalSettings({ HOST, LOCAL_API_KEY: "local-dev-key" })).toThrow(message);
      expect(readLocalSettings({ HOST, LOCAL_API_KEY: "a key of my own" }).host).toBe(HOST);
    },
  );

  test.each(["127.0.0.1", "127.1.2.3", "localhost", "::1"])("accept HOST=%s with the default key", (HOST) => {
    expect(readLocalSettings({ HOST }).host).toBe(HOST);
  });
});

describe("a request that API Gateway does not let through", () => {
  test("has more than 10,240 bytes in its request line and header values, and is 431", async () => {
    const service = await startTestService();
    const parameters = form({ apikey: service.apiKey });
    const target = (length: number) => `/v2/api?${parameters}&junk=`.padEnd(length, "x");
    const { hostname, port } = new URL(service.baseUrl);
    const headers = { host: `${hostname}:${port}`, connection: "close" };
    const rest = `GET  HTTP/1.1${Object.values(headers).join("")}`.length;
    const get = async (length: number) => {
      const [response] = await once(request({ hostname, port, path: target(length), headers }).end(), "response");
      return { status: response.statusCode, headers: response.headers, body: await text(response) };
    };
    expect((await get(10_240 - rest)).status).toBe(200);
    for (const length of [10_241 - rest, 20_000, 200_000]) {
      const answer = await get(length);
      expect(answer.status).toBe(431);
      expect(answer.headers.status).toBe("431 Request Header Fields Too Large");
      expect(answer.headers["x-error"]).toBe(
        "the request line and headers exceed 10,240 bytes; send parameters in the body of a POST, not in the URL, and shorten the headers",
      );
      expect(answer.body).toBe(`${answer.headers.status}\n${answer.headers["x-error"]}`);
      expect(answer.headers["x-limit-user-limit"]).toBe("100000");
      expect(answer.headers["x-limit-key-limit"]).toBe("0");
    }
  });

  test("has a body of more than 10 MB, and is 413", async () => {
    const service = await startTestService();
    const answer = await service.fetch(service.urlOf("send"), {
      method: "POST",
      body: "x".repeat(10 * 1024 * 1024 + 1),
    });
    expect(answer.status).toBe(413);
    expect(answer.headers.get("status")).toBe("413 Payload Too Large");
    expect(answer.headers.get("x-error")).toBe("the body exceeds 10 MB; send it in parts");
  });
});

describe("bodies that never end", () => {
  const mebibyte = 1024 * 1024;

  test("take 64 MB in all; beyond it the longest is 503 with Retry-After, and short ones pass", async () => {
    const gateway = createGateway(new Map([["$default", async () => plainAnswer(200, "")]]), plainAnswer);
    const connections: Socket[] = [];
    gateway.on("connection", (connection) => connections.push(connection)).listen(0, "127.0.0.1");
    await once(gateway, "listening");
    onTestFinished(() => gateway.close().closeAllConnections());
    const { port } = gateway.address() as AddressInfo;

    /** Sends the start of a body of 10 MB; its end when `finish` is called. */
    function beginPost(start: string) {
      const headers = { "content-length": 10 * mebibyte, connection: "close" };
      const sent = request({ host: "127.0.0.1", port, method: "POST", headers }).on("error", () => {});
      sent.write(start);
      const finish = async () => {
        const [response] = await once(sent.end("x".repeat(10 * mebibyte - start.length)), "response");
        return { status: response.statusCode, headers: response.headers, body: await text(response) };
      };
      return { finish, destroy: () => sent.destroy() };
    }

    const longest = beginPost("x".repeat(9 * mebibyte));
    const others = Array.from({ length: 7 }, () => beginPost("x".repeat(8 * mebibyte)));
    const received = () => connections.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
    await expect.poll(received).toBeGreaterThan(65 * mebibyte);
    const refused = await longest.finish();
    expect(refused.status).toBe(503);
    expect(refused.headers["retry-after"]).toBe("10");
    expect(refused.body).toContain("the service is receiving too many long requests; try again");

    const url = `http://127.0.0.1:${port}`;
    expect((await fetch(url, { method: "POST", body: "short" })).status).toBe(200);
    for (const other of others) other.destroy();
    await expect.poll(async () => (await beginPost("x".repeat(9 * mebibyte)).finish()).status).toBe(200);
  });

  test("are refused after a minute", () => {
    expect(createGateway(new Map(), plainAnswer).requestTimeout).toBe(60_000);
  });
});
