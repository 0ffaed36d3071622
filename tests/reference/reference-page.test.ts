// SPDX-License-Identifier: MIT

import { once } from "node:events";
import { readFileSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { json } from "node:stream/consumers";
import { toPath } from "@reading-list/core/contract/endpoint.ts";
import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, describe, expect, test } from "vitest";

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});

const files = {
  "/reference/": "text/html",
  "/reference/initialize.js": "text/javascript",
  "/reference/swagger-ui-bundle.js": "text/javascript",
  "/reference/swagger-ui.css": "text/css",
  "/openapi.json": "application/json",
};

describe("the API reference page", () => {
  test.each(Object.entries(files))("%s is served with a strict policy, as its own type", async (path, type) => {
    const { status, headers, body } = await service.fetch(`${service.baseUrl}${path}`);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe(`${type}; charset=utf-8`);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(body).not.toBe("");
    const policy = headers.get("content-security-policy");
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
    expect(policy).toContain(`connect-src 'self' ${service.textUrl};`);
    expect(policy).not.toMatch(/unsafe|\*/);
  });

  test.each(["GET", "HEAD"])("leaves the start page to the web reader: %s", async (method) => {
    const { status, headers } = await service.fetch(service.baseUrl, { method, redirect: "manual" });
    expect([status, headers.get("location")]).toEqual([302, "/app/"]);
  });

  test.each(["/reference/", "/openapi.json", "/app/"])("answers HEAD like GET, without a body: %s", async (path) => {
    const { status, headers, body } = await service.fetch(service.baseUrl + path, { method: "HEAD" });
    expect([status, body]).toEqual([200, ""]);
    expect(headers.get("content-security-policy")).toContain("default-src");
  });

  test("shows docs/openapi.json with the addresses of this service", async () => {
    const kept = JSON.parse(readFileSync("docs/openapi.json", "utf8"));
    const shown = JSON.parse((await service.fetch(`${service.baseUrl}/openapi.json`)).body);
    kept.servers = [{ url: "/", description: "The main host" }];
    for (const endpoint of endpoints.filter(({ host }) => host === "text")) {
      kept.paths[toPath(endpoint)].servers = [{ url: service.textUrl, description: "The text host" }];
    }
    expect(shown).toEqual(kept);
  });

  test("names the text host as the browser reaches it", async () => {
    // `fetch` sets this header itself.
    const request = get(`${service.baseUrl}/openapi.json`, { headers: { host: "list.home:3000" } });
    const [response] = (await once(request, "response")) as [IncomingMessage];
    const textUrl = `http://list.home:${new URL(service.textUrl).port}`;
    expect(response.headers["content-security-policy"]).toContain(`connect-src 'self' ${textUrl};`);
    const { paths } = (await json(response)) as { paths: Record<string, { servers?: { url: string }[] }> };
    expect(paths["/v2/text"]?.servers?.[0]?.url).toBe(textUrl);
  });

  test.each([
    "/reference/../package.json",
    "/reference/%2e%2e/package.json",
    "/reference/swagger-ui-bundle.js.map",
    "/node_modules/swagger-ui-dist/package.json",
    "/index.html",
  ])("serves no other file: %s is 404", async (path) => {
    expect((await service.fetch(`${service.baseUrl}${path}`)).status).toBe(404);
  });

  test("is on the main host, by GET", async () => {
    expect((await service.fetch(service.textUrl)).status).toBe(404);
    expect((await service.fetch(`${service.textUrl}/reference/`)).status).toBe(404);
    expect((await service.fetch(`${service.baseUrl}/reference/`, { method: "POST" })).status).toBe(404);
  });
});
