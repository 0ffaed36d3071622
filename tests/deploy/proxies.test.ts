// SPDX-License-Identifier: MIT

import { readFileSync } from "node:fs";
import path from "node:path";
import { parseEnv } from "node:util";
import { form, type Parameters } from "@reading-list/testing/client.ts";
import { runCommand } from "@reading-list/testing/command-line.ts";
import { articlePage, type PageServer, page, startPageServer } from "@reading-list/testing/page-server.ts";
import { type Started, start, untilReady } from "@reading-list/testing/started-service.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { examples, installedProxies, type ProxyCall, type ProxyName, ReverseProxy } from "./reverse-proxy.ts";

const names: ProxyName[] = ["nginx", "caddy"];
for (const name of names.filter((one) => !installedProxies.includes(one))) {
  console.warn(`SKIPPED: the service behind ${name}, as it is not installed; sh .ci/install-proxies installs it`);
}

const main = "https://list.example.com/v2";
const text = "https://list.example.com/text/v2";
const apikey = "a key of my own";
const ann = { apikey, username: "ann", password: "opensesame-9" };

describe.each(names)("the service behind %s", (name) => {
  const isInstalled = installedProxies.includes(name);
  const inProxy = test.skipIf(!isInstalled);
  let folder: string;
  let service: Started;
  let pages: PageServer;
  let proxy: ReverseProxy;

  const post = (endpoint: string, parameters: Parameters = {}, options: ProxyCall = {}) =>
    proxy.call(`${main}/${endpoint}`, { form: form({ ...ann, ...parameters }).toString(), ...options });

  beforeAll(async () => {
    if (!isInstalled) return;
    folder = temporaryFolder();
    pages = await startPageServer(page(articlePage));
    const env = {
      ...(parseEnv(readFileSync(path.join(examples, "environment"), "utf8")) as Record<string, string>),
      DATA_DIR: path.join(folder, "data"),
      LOCAL_API_KEY: apikey,
      TEXT_ALLOWED_ORIGINS: pages.origin,
    };
    service = start(env);
    const { baseUrl } = await untilReady(service);
    const create = await runCommand(["users", "create", "ann"], { DATA_DIR: env.DATA_DIR }, `${ann.password}\n`);
    expect(create.code).toBe(0);
    proxy = await ReverseProxy.start(name, folder, new URL(baseUrl).host);
  });
  afterAll(async () => {
    if (!isInstalled) return;
    await proxy?.stop();
    service?.process.kill("SIGTERM");
    await service?.ended;
    pages?.stop();
  });

  inProxy("is called over TLS by GET and POST, and its answers pass unchanged", async () => {
    expect(await post("add", { url: "https://example.com/ü" })).toMatchObject({ status: 200, body: "200 OK" });
    const { status, headers, body } = await proxy.call(`${main}/get?${form(ann)}`);
    expect(status).toBe(200);
    expect(Object.values(JSON.parse(body).list)).toMatchObject([{ url: "https://example.com/ü" }]);
    expect(headers).toMatchObject({ status: "200 OK", "x-limit-key-limit": "10000" });
    expect(await post("add", { url: "no url" })).toMatchObject({
      status: 400,
      headers: { status: "400 Bad Request", "x-error": expect.stringContaining("url") },
    });
  });

  inProxy("serves the text view below /text", async () => {
    const body = form({ apikey, url: `${pages.origin}/article` }).toString();
    const answer = await proxy.call(`${text}/text`, { form: body });
    expect(answer.body).toContain("harbour");
    expect(answer.headers["x-title"]).toContain("The harbour is open");
    expect((await proxy.call(`${main}/text`, { form: body })).status).toBe(404);
    expect((await proxy.call(`${text}/stats`, { form: form(ann).toString() })).status).toBe(404);
  });

  inProxy("names the text host by BASE_URL in the API reference page and the web reader", async () => {
    const { body } = await proxy.call("https://list.example.com/app/config.json");
    expect(JSON.parse(body).textUrl).toBe("https://list.example.com/text");
    const { headers } = await proxy.call("https://list.example.com/reference/");
    expect(headers["content-security-policy"]).toContain("connect-src 'self' https://list.example.com;");
  });

  inProxy("registers nobody, as SIGNUP is closed", async () => {
    expect((await post("signup", { username: "eve" })).status).toBe(403);
  });

  inProxy("locks out the address that guesses passwords, which no header forges, and no other", async () => {
    const guess = (from: string, headers = {}) => post("auth", { password: "guess" }, { from, headers });
    for (let guesses = 0; guesses < 10; guesses++) expect((await guess("127.0.0.5")).status).toBe(401);
    expect((await guess("127.0.0.5")).status).toBe(403);
    expect((await guess("127.0.0.5", { "x-forwarded-for": "192.0.2.7" })).status).toBe(403);
    expect((await guess("127.0.0.6", { "x-forwarded-for": "127.0.0.5" })).status).toBe(401);
    expect((await post("auth", {}, { from: "127.0.0.6" })).status).toBe(200);
  });

  inProxy("takes bodies of up to 10 MB, and refuses longer ones itself", async () => {
    const bodyOf = (bytes: number) => `${form(ann)}&unknown=`.padEnd(bytes, "x");
    const limit = 10 * 1024 * 1024;
    expect((await proxy.call(`${main}/send`, { form: bodyOf(limit) })).status).toBe(200);
    expect(await proxy.call(`${main}/send`, { form: bodyOf(limit + 1) })).toMatchObject({
      status: 413,
      headers: { "x-error": expect.stringContaining("10 MB") },
    });
    // nginx refuses a body of more than 16 MB without the service.
    expect(await proxy.call(`${main}/send`, { form: bodyOf(17 * 1024 * 1024) })).toMatchObject({
      status: 413,
      headers: { "x-error": expect.stringContaining("10 MB"), "x-error-code": "invalid" },
    });
  });

  inProxy("takes URLs of up to 10,000 bytes, and refuses those above 10,240 itself", async () => {
    const urlOf = (bytes: number) => `${main}/stats?${form(ann)}&unknown=`.padEnd(main.length + bytes, "x");
    expect((await proxy.call(urlOf(9_900))).status).toBe(200);
    expect(await proxy.call(urlOf(12_000))).toMatchObject({
      headers: { "x-error": expect.stringContaining("POST") },
    });
  });

  inProxy("redirects calls without TLS, with their method", async () => {
    expect(await proxy.callPlain("list.example.com", "/v2/stats?format=xml")).toBe(
      "308 https://list.example.com/v2/stats?format=xml",
    );
  });

  inProxy(
    "answers 503 like the service while that is stopped, and no log has a password, key or secret path",
    async () => {
      const query = form(ann).toString();
      await proxy.abort(`https://list.example.com/reference/swagger-ui-bundle.js?${query}`);
      service.process.kill("SIGTERM");
      await service.ended;
      const message = "the service is being restarted; try again in a minute";
      for (const answer of [await proxy.call(`${main}/get?${query}`), await proxy.call(`${text}/text?${query}`)]) {
        expect(answer).toMatchObject({
          status: 503,
          headers: {
            status: "503 Service Unavailable",
            "x-error": message,
            "x-error-code": "maintenance",
            "retry-after": "60",
          },
          body: `503 Service Unavailable\n${message}\n`,
        });
      }
      const secretPaths = ["", "/reading"].flatMap((below) => [
        `${below}/feeds/ann.opensesame-9.atom`,
        `${below}/kobo/store/opensesame-9/v1/initialization`,
      ]);
      for (const secretPath of secretPaths) {
        expect((await proxy.call(`https://list.example.com${secretPath}`)).status).toBe(503);
        await proxy.callPlain("list.example.com", secretPath);
      }
      await proxy.callPlain("list.example.com", `/v2/get?${query}`);
      await proxy.stop();
      expect(proxy.logs()).not.toBe("");
      expect(proxy.logs()).not.toMatch(/opensesame|key.of.my.own/);
    },
  );
});
