// SPDX-License-Identifier: MIT

import { once } from "node:events";
import { readdirSync, statSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import path from "node:path";
import { json } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { startInProcess, startTestService } from "@reading-list/testing/test-service.ts";
import { buildReader } from "@reading-list/web/build.ts";
import type { ReaderConfig } from "@reading-list/web/web-application.ts";
import { beforeAll, describe, expect, test } from "vitest";

let service: Awaited<ReturnType<typeof startTestService>>;
beforeAll(async () => {
  service = await startTestService();
});

const load = (file: string) => service.fetch(`${service.baseUrl}/app/${file}`);
const loadConfig = async () => JSON.parse((await load("config.json")).body) as ReaderConfig;

describe("npm start serves the web reader at /app/", () => {
  test("with a strict policy: no inline script or style, Trusted Types, calls to the two hosts only", async () => {
    const { status, headers, body } = await load("");
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    const policy = headers.get("content-security-policy");
    expect(policy).toContain("default-src 'self';");
    expect(policy).toContain(`connect-src 'self' ${service.textUrl};`);
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toMatch(/unsafe|\*/);
    expect(body).not.toMatch(/<script>|<style|style=|\bon\w+=/);
  });

  test("and /app leads there, with its query", async () => {
    const response = await fetch(`${service.baseUrl}/app?url=https%3A%2F%2Fexample.com%2F`, { redirect: "manual" });
    expect(response.status).toBe(308);
    expect(response.headers.get("location")).toBe("/app/?url=https%3A%2F%2Fexample.com%2F");
  });

  test("compressed, if a file has more than 1 KB, and answers HEAD", async () => {
    const { body: page } = await load("");
    const script = /src="(main-\w+\.js)"/.exec(page)?.[1] ?? "";
    const imported = [...(await load(script)).body.matchAll(/from"\.\/(chunk-\w+\.js)"/g)].map(([, name = ""]) => name);
    const styles = /href="(styles-\w+\.css)"/.exec(page)?.[1] ?? "";
    let bytes = 0;
    for (const file of [...imported, styles]) {
      const response = await fetch(`${service.baseUrl}/app/${file}`, {
        method: "HEAD",
        headers: { "accept-encoding": "gzip, deflate, br, zstd" },
      });
      expect([response.status, response.headers.get("content-encoding")]).toEqual([200, "br"]);
      bytes += Number(response.headers.get("content-length"));
    }
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(30_000);
  });

  test("browsers keep files whose names change with the content, and ask again for all others", async () => {
    const script = /src="(main-\w+\.js)"/.exec((await load("")).body)?.[1] ?? "";
    expect((await load(script)).headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    for (const file of ["", "config.json", "service-worker.js"]) {
      expect((await load(file)).headers.get("cache-control")).toBe("no-cache");
    }
  });

  test.each(["package.json", "../package.json", "%2e%2e/package.json", "build.ts"])("not %s", async (file) => {
    expect((await load(file)).status).toBe(404);
  });

  test("names the text host as the browser reaches it", async () => {
    const { port } = new URL(service.textUrl);
    expect((await loadConfig()).textUrl).toBe(service.textUrl);
    // `fetch` sets this header itself.
    const request = get(`${service.baseUrl}/app/config.json`, { headers: { host: "reader.home:3000" } });
    const [response] = (await once(request, "response")) as [IncomingMessage];
    expect(((await json(response)) as ReaderConfig).textUrl).toBe(`http://reader.home:${port}`);
    const policy = response.headers["content-security-policy"];
    expect(policy).toContain(`connect-src 'self' http://reader.home:${port};`);
  });

  test("a Host header cannot add a directive to the policy", async () => {
    const request = get(`${service.baseUrl}/app/`, { headers: { host: "a;script-src'unsafe-inline'" } });
    const [response] = (await once(request, "response")) as [IncomingMessage];
    response.resume();
    expect(response.headers["content-security-policy"]).toContain(`connect-src 'self' ${service.textUrl};`);
  });

  test.each(["/app/config.json", "/app/", "/reference/"])("to pages of its own origin only: %s", async (path) => {
    const { status, headers } = await service.fetch(service.baseUrl + path, {
      headers: { origin: "http://a.example" },
    });
    expect(status).toBe(200);
    expect(headers.get("access-control-allow-origin")).toBeNull();
    expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
  });

  test("and neither its page nor its service worker may ask another site for anything", async () => {
    const worker = (await load("service-worker.js")).headers.get("content-security-policy");
    expect(worker).toBe(`default-src 'none'; script-src 'self'; connect-src 'self' ${service.textUrl}`);
    const page = (await load("")).headers.get("content-security-policy");
    expect(page).toContain(`img-src 'self' blob: ${service.textUrl};`);
    expect(page).not.toMatch(/https?:[; ]|data:/);
  });

  const catalogues = path.join(import.meta.dirname, "../../packages/web/locales");
  const languages = readdirSync(catalogues).map((name) => path.basename(name, ".json"));

  test.each(languages)("its first load is below 46 KB with gzip: %s", async (language) => {
    const files = await buildReader();
    const page = files.find(({ name }) => name === "")?.content.toString() ?? "";
    const entries = files.filter(({ name }) => /^(main|signed-in)-/.test(name));
    const code = entries.map(({ content }) => content.toString()).join("");
    // `from"./chunk"` is loaded with the page, `import("./chunk")` when it is needed.
    const isFirst = (name: string) =>
      name === "" || page.includes(name) || code.includes(`from"./${name}"`) || name.startsWith(`first-${language}-`);
    const first = files.filter((file) => entries.includes(file) || isFirst(file.name));
    const size = first.reduce((sum, { content }) => sum + gzipSync(content).length, 0);
    expect(size).toBeLessThan(46_000);
  });
});

describe("the API key of the web reader", () => {
  const configOf = async (readerUrl: string) => (await (await fetch(`${readerUrl}config.json`)).json()) as ReaderConfig;

  test("belongs to the application `web`, which has limits of its own", async () => {
    const { apiKey } = await loadConfig();
    expect(apiKey).not.toBe(service.apiKey);
    const { status, headers } = await service.fetch(`${service.baseUrl}/v2/api?apikey=${apiKey}`);
    expect(status).toBe(200);
    expect(headers.get("x-limit-user-limit")).toBe("1000");
    expect(headers.get("x-limit-key-limit")).toBe("2000");
  });

  test("is in the data folder, readable for its owner only, and the same after a restart", async () => {
    const folder = temporaryFolder();
    const keys: string[] = [];
    for (const SIGNUP of ["open", "closed"]) {
      const { readerUrl, stop } = await startInProcess({ DATA_DIR: folder, SIGNUP });
      const { apiKey, isSignupOpen } = await configOf(readerUrl);
      expect(isSignupOpen).toBe(SIGNUP === "open");
      keys.push(apiKey);
      await stop();
    }
    expect(keys[1]).toBe(keys[0]);
    expect(statSync(path.join(folder, "web-api-key")).mode & 0o777).toBe(0o600);
  });
});
