// SPDX-License-Identifier: MIT

import { createDecipheriv, hash } from "node:crypto";
import type { IncomingMessage, RequestListener } from "node:http";
import type { CallRecord } from "@reading-list/http/watch/watch-calls.ts";
import { form, type TestUser } from "@reading-list/testing/client.ts";
import { KoboDevice } from "@reading-list/testing/kobo-device.ts";
import { type PageServer, startPageServer } from "@reading-list/testing/page-server.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

const serial = "N418123456789";
let shop: PageServer;
let service: TestService;
let user: TestUser;
let answer: RequestListener;
/** The calls that the shop got. */
const calls: (Pick<IncomingMessage, "method" | "url" | "headers"> & { body: string })[] = [];
const records: CallRecord[] = [];

const koboShop = { url: "", timeoutMs: 60_000 };
beforeAll(async () => {
  shop = await startPageServer(async (request, response) => {
    const chunks = await request.toArray();
    const { method, url, headers } = request;
    calls.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
    answer(request, response);
  });
  koboShop.url = shop.origin;
  const env = { PUBLIC_KEY_ADDRESS_LIMIT: "100000" };
  service = await startTestService(env, { koboShop, report: (record) => records.push(record) });
});
afterAll(() => shop.stop());
beforeEach(async () => {
  calls.length = 0;
  records.length = 0;
  koboShop.timeoutMs = 60_000;
  answer = (_, response) => response.writeHead(200, { "content-type": "application/json" }).end('{"a":1}');
  user = await service.newUser();
});

const addDevice = (fields: Record<string, string> = {}) =>
  service.fetch(`${service.baseUrl}/kobo/device`, {
    method: "POST",
    body: form({ ...user.credentials, serial, ...fields }),
  });

/** The lines of the file of a new device, by name. */
async function settingsOf(fields?: Record<string, string>): Promise<Record<string, string>> {
  const { settings } = JSON.parse((await addDevice(fields)).body);
  return Object.fromEntries([...settings.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]));
}

function decrypt(encrypted: string, of = serial): string {
  const key = hash("sha256", `88b3a2e13${of}`).slice(0, 16);
  const cipher = createDecipheriv("aes-128-ecb", key, null);
  return cipher.update(encrypted, "base64", "utf8") + cipher.final("utf8");
}

describe("the settings of a device", () => {
  test("have the token under a key that bridges for Kobos compute alike", async () => {
    const { AccessToken = "" } = await settingsOf({ serial: "SHORT1" });
    // The first half of the SHA-256 that a device makes of its serial number, as the bridges do.
    const cipher = createDecipheriv("aes-128-ecb", "f3c98bd2f467ee7a", null);
    const encrypted = /\((.*)\)/.exec(AccessToken)?.[1] ?? "";
    const token = cipher.update(encrypted, "base64", "utf8") + cipher.final("utf8");
    expect(token).toMatch(new RegExp(`^${user.credentials.username}\\.[a-z2-7]{20}$`));
  });

  test("lead it to this service, with a sign-in of its own", async () => {
    const { api_endpoint, instapaper_env_url, AccessToken = "" } = await settingsOf();
    expect(api_endpoint).toMatch(`${service.baseUrl}/kobo/store/${user.credentials.username}.`);
    expect(instapaper_env_url).toBe(`${service.baseUrl}/kobo/api/kobo`);
    const token = decrypt(/^@ByteArray\((.*)\)$/.exec(AccessToken)?.[1] ?? "");
    await user.add("https://example.com/1");
    expect((await new KoboDevice(user, token).get()).total).toBe(1);
    const { list } = JSON.parse((await user.ok("app_passwords")).body);
    expect(Object.values(list)).toMatchObject([{ name: "Kobo" }]);
  });

  test("are created only with the account's password", async () => {
    const { password } = JSON.parse((await user.ok("app_passwords", { create: "App" })).body);
    expect((await addDevice({ password })).status).toBe(401);
    expect((await addDevice({ password: "wrong" })).status).toBe(401);
    expect(
      (await service.fetch(`${service.baseUrl}/kobo/device`, { method: "POST", body: form({ serial }) })).status,
    ).toBe(400);
    expect(Object.keys(JSON.parse((await user.ok("app_passwords")).body).list)).toHaveLength(1);
  });

  test("remove no device if they are asked for with an app password", async () => {
    const { password } = JSON.parse((await user.ok("app_passwords", { create: "App" })).body);
    for (let device = 0; device < 5; device++) expect((await addDevice()).status).toBe(200);
    const before = (await user.ok("app_passwords")).body;
    expect((await addDevice({ password })).status).toBe(401);
    expect(Object.keys(JSON.parse((await user.ok("app_passwords")).body).list)).toEqual(
      Object.keys(JSON.parse(before).list),
    );
  });

  test("are not made by a page of another site", async () => {
    const body = form({ ...user.credentials, serial });
    const headers = { origin: "https://evil.example" };
    expect((await service.fetch(`${service.baseUrl}/kobo/device`, { method: "POST", body, headers })).status).toBe(403);
  });

  test.each(["", "N4", "N418 12\nx=1", "N418)"])("need a serial number: %o is 400", async (wrong) => {
    const { status, body } = await addDevice({ serial: wrong });
    expect([status, body]).toEqual([400, expect.stringContaining("serial")]);
  });
});

describe("a call of the shop", () => {
  let endpoint: string;
  beforeEach(async () => {
    endpoint = (await settingsOf()).api_endpoint ?? "";
    records.length = 0;
  });

  test.each(["GET", "POST", "PUT", "PATCH", "DELETE"])(
    "by %s passes with its path, query and body as they are",
    async (method) => {
      const body = method === "GET" ? null : '{"ü":[1, 2]}';
      const headers = { "content-type": "application/json" };
      const result = await fetch(`${endpoint}/v1/a%2Fb//c/?x=%20y&x=2`, { method, body, headers });
      expect([result.status, await result.text()]).toEqual([200, '{"a":1}']);
      expect(calls).toMatchObject([{ method, url: "/v1/a%2Fb//c/?x=%20y&x=2", body: body ?? "" }]);
    },
  );

  test.each(["//evil.example/x", "/../../x", "/@evil.example", "/\\evil.example", "/http://evil.example/"])(
    "goes only to the shop's own host: %s",
    async (path) => {
      await fetch(`${endpoint}${path}`);
      expect(calls).toHaveLength(new URL(`${endpoint}${path}`).pathname.includes("/kobo/store/") ? 1 : 0);
    },
  );

  test("passes the device's headers for the shop, and no cookie, address or host of ours", async () => {
    const passed = {
      authorization: "Bearer shop",
      "x-kobo-userkey": "key",
      "x-kobo-deviceid": "id",
      accept: "application/json",
      "user-agent": "Mozilla/5.0 (Kobo Touch 0388/4.38)",
      "if-none-match": '"1"',
    };
    const dropped = { cookie: "a=1", "x-forwarded-for": "192.0.2.1", "x-forwarded-proto": "https", forwarded: "for=x" };
    await fetch(`${endpoint}/v1/library/sync`, { headers: { ...passed, ...dropped, origin: "null", "x-other": "1" } });
    const { host, connection: _, ...sent } = calls[0]?.headers ?? {};
    expect(sent).toMatchObject({ ...passed, "accept-encoding": "identity" });
    expect(host).toBe(new URL(shop.origin).host);
    for (const name of [...Object.keys(dropped), "origin", "x-other"]) expect(sent).not.toHaveProperty(name);
  });

  test("passes the shop's headers for the device, and no cookie", async () => {
    const passed = {
      "content-type": "application/json",
      etag: '"2"',
      "x-kobo-synctoken": "token",
      "x-kobo-sync": "continue",
    };
    const dropped = { "set-cookie": "a=1", "x-powered-by": "shop", "access-control-allow-origin": "*", server: "shop" };
    answer = (_, response) => response.writeHead(201, { ...passed, ...dropped }).end("{}");
    const { status, headers } = await fetch(`${endpoint}/v1/x`, { headers: { origin: "https://evil.example" } });
    expect(status).toBe(201);
    expect(Object.fromEntries(headers)).toMatchObject(passed);
    for (const name of Object.keys(dropped)) expect(headers.has(name)).toBe(false);
  });

  test.each([
    ["HTML", "text/html", "<script>alert(1)</script>"],
    ["JavaScript", "text/javascript", "alert(1)"],
    ["an error", "application/problem+json", "{}"],
  ])("that is answered with %s cannot run as a page of this host", async (_, type, body) => {
    answer = (__, response) =>
      response.writeHead(200, { "content-type": type, "content-security-policy": "default-src *" }).end(body);
    const result = await fetch(`${endpoint}/x.html`);
    expect(await result.text()).toBe(body);
    expect(Object.fromEntries(result.headers)).toMatchObject({
      "content-type": type,
      "content-security-policy": "sandbox; default-src 'none'",
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "same-origin",
    });
  });

  test("that is redirected is not followed; the device gets the absolute address", async () => {
    answer = (_, response) => response.writeHead(302, { location: "/v2/other" }).end();
    const { status, headers } = await fetch(`${endpoint}/v1/x`, { redirect: "manual" });
    expect([status, headers.get("location")]).toEqual([302, `${shop.origin}/v2/other`]);
    expect(calls).toHaveLength(1);
  });

  test("for the initialization has our address instead of Instapaper's, in any writing of its slashes", async () => {
    answer = (_, response) =>
      response
        .writeHead(200, { "content-type": "application/json", etag: '"1"' })
        .end(
          String.raw`{"a":"https://www.instapaper.com/api/kobo","b":"https:\/\/www.instapaper.com\/api","c":"https:\u002F\u002Fwww.instapaper.com","d":"https://www.kobo.com"}`,
        );
    const result = await fetch(`${endpoint}/v1/initialization`, { headers: { "if-none-match": '"1"' } });
    expect(calls[0]?.headers).not.toHaveProperty("if-none-match");
    expect(result.headers.has("etag")).toBe(false);
    const base = `${service.baseUrl}/kobo`;
    expect(await result.json()).toEqual({
      a: `${base}/api/kobo`,
      b: `${base}/api`,
      c: base,
      d: "https://www.kobo.com",
    });
    const other = await fetch(`${endpoint}/v1/other`);
    expect(await other.text()).toContain("https://www.instapaper.com");
  });

  test.each([
    "//v1/initialization",
    "/v1/initialization/",
    "/v1//initialization//",
    "/v1/Initialization",
    "/v1/%69nitialization",
    "/V1/INITIALIZATION/?x=1",
  ])("for the initialization has our address also as %s", async (path) => {
    answer = (_, response) => response.writeHead(200).end('{"a":"https://www.instapaper.com/api/kobo"}');
    expect(await (await fetch(`${endpoint}${path}`)).json()).toEqual({ a: `${service.baseUrl}/kobo/api/kobo` });
    expect(calls).toMatchObject([{ url: `/v1/initialization${path.includes("?") ? "?x=1" : ""}` }]);
  });

  test("is 502 if the answer is too large, if the shop breaks off, or if it compresses what is to be rewritten", async () => {
    answer = (_, response) => response.writeHead(200).end(Buffer.alloc(4_000_001));
    expect((await fetch(`${endpoint}/v1/x`)).status).toBe(502);
    answer = (_, response) => response.destroy();
    expect((await fetch(`${endpoint}/v1/x`)).status).toBe(502);
    answer = (_, response) =>
      response.socket?.end("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n");
    expect((await fetch(`${endpoint}/v1/x`)).status).toBe(502);
    answer = (_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end("x");
    expect((await fetch(`${endpoint}/v1/initialization`)).status).toBe(502);
  });

  test("is 413 if its body is too large, and does not reach the shop", async () => {
    const { status } = await fetch(`${endpoint}/v1/x`, { method: "POST", body: Buffer.alloc(2_000_001) });
    expect([status, calls]).toEqual([413, []]);
  });

  test("is 504 if the shop is too slow, also in the middle of its answer", async () => {
    koboShop.timeoutMs = 100;
    answer = () => {};
    expect((await fetch(`${endpoint}/v1/x`)).status).toBe(504);
    answer = (_, response) => response.writeHead(200).write("{");
    expect((await fetch(`${endpoint}/v1/x`)).status).toBe(504);
  });

  test("is 404 without the token of a sign-in that is there, and does not reach the shop", async () => {
    const [, token = ""] = /store\/(.*)$/.exec(endpoint) ?? [];
    const [username = "", id = "", signature = ""] = token.split(".");
    const { list } = JSON.parse((await user.ok("app_passwords")).body);
    const secret = decrypt(/\((.*)\)/.exec((await settingsOf()).AccessToken ?? "")?.[1] ?? "");
    const wrong = [
      `${username}.${id}.${"x".repeat(22)}`,
      `${username}.aaaaaaaaaa.${signature}`,
      `nobody-at-all.${id}.${signature}`,
      secret,
      "x",
    ];
    for (const each of wrong) {
      const { status, headers } = await fetch(`${service.baseUrl}/kobo/store/${each}/v1/x`);
      expect([status, headers.get("content-security-policy")]).toEqual([404, expect.stringContaining("sandbox")]);
    }
    expect((await fetch(`${endpoint}/v1/x`)).status).toBe(200);
    await user.ok("app_passwords", { revoke: Object.keys(list)[0] ?? "" });
    expect((await fetch(`${endpoint}/v1/x`)).status).toBe(404);
    expect(calls).toHaveLength(1);
  });

  test("has a token that works nowhere else", async () => {
    const [, token = ""] = /store\/(.*)$/.exec(endpoint) ?? [];
    const device = new KoboDevice(user, token);
    expect((await device.call("api/kobo/get", {})).status).toBe(401);
    const password = token.split(".").at(-1) ?? "";
    expect((await user.call("get", { password: password.slice(0, 20) })).status).toBe(401);
  });

  test("is in no log with its path or token", async () => {
    answer = (_, response) => response.destroy();
    await fetch(`${endpoint}/v1/library/secret-book`);
    await fetch(`${service.baseUrl}/kobo/store/wrong/v1/secret-book`);
    expect(records).toHaveLength(2);
    const logged = JSON.stringify(records);
    expect(logged).toContain("/store/{token}/{path+}");
    expect(logged).not.toMatch(/secret-book|store\/[^{]/);
  });
});
