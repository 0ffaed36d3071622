import { once } from "node:events";
import { request } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { createGateway, type Handler } from "@reading-list/local/gateway.ts";
import { readLocalSettings } from "@reading-list/local/local-settings.ts";
import { form } from "@reading-list/testing/client.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { describe, expect, test } from "vitest";

/** The caller's address that a function gets for a request with these `X-Forwarded-For` lines. */
async function sourceIpOf(TRUST_PROXY: string, ...forwardedFor: string[]): Promise<string> {
  const events: Parameters<Handler>[0][] = [];
  const handler: Handler = async (event) => {
    events.push(event);
    return { statusCode: 200 };
  };
  const { trustedProxies } = readLocalSettings({ TRUST_PROXY });
  const gateway = createGateway(new Map([["$default", handler]]), Date, { trustedProxies }).listen(0, "127.0.0.1");
  await once(gateway, "listening");
  try {
    const headers = forwardedFor.map((line): [string, string] => ["x-forwarded-for", line]);
    await fetch(`http://127.0.0.1:${(gateway.address() as AddressInfo).port}/`, { headers });
    return events[0]?.requestContext.http.sourceIp ?? "";
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

describe("settings", () => {
  test.each(["localhost:80", "10.0.0.0/33", "10.0.0.1/8/8", "10", "proxy"])("refuse TRUST_PROXY=%s", (TRUST_PROXY) => {
    expect(() => readLocalSettings({ TRUST_PROXY })).toThrow(
      "TRUST_PROXY: must be IP addresses or CIDR ranges, separated by commas",
    );
  });

  const message = "LOCAL_API_KEY: must be set to a key of your own, because HOST is not a loopback address";

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

  /** Sends the start of a body; its end when `finish` is called. */
  async function beginPost(service: TestService, start: string, length: number) {
    const { hostname, port } = new URL(service.baseUrl);
    const headers = { "content-type": "application/x-www-form-urlencoded", "content-length": length };
    const sent = request({ hostname, port, path: "/v2/api", method: "POST", headers });
    sent.on("error", () => {});
    await new Promise((resolve) => sent.write(start, resolve));
    const finish = async (end: string) => {
      const [response] = await once(sent.end(end), "response");
      return { status: response.statusCode, headers: response.headers, body: await text(response) };
    };
    return { finish, destroy: () => sent.destroy() };
  }

  test("take 64 MB in all; beyond it the longest is 503 with Retry-After, and short ones pass", async () => {
    const service = await startTestService();
    const call = `apikey=${service.apiKey}`;
    const short = await beginPost(service, call.slice(0, 5), call.length);
    const longest = await beginPost(service, "x".repeat(9 * mebibyte), 10 * mebibyte);
    const others = [];
    for (let i = 0; i < 7; i++) others.push(await beginPost(service, "x".repeat(8 * mebibyte), 10 * mebibyte));
    const refused = await longest.finish("x".repeat(mebibyte));
    expect(refused.status).toBe(503);
    expect(refused.headers["retry-after"]).toBe("10");
    expect(refused.headers["x-error"]).toBe("the service is receiving too many long requests; send it again");
    expect((await short.finish(call.slice(5))).status).toBe(200);
    for (const other of others) other.destroy();
    await expect.poll(async () => (await (await beginPost(service, "", call.length)).finish(call)).status).toBe(200);
  });

  test("are refused after a minute", () => {
    expect(createGateway(new Map(), Date).requestTimeout).toBe(60_000);
  });
});
