// SPDX-License-Identifier: MIT

import { createSecretKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { readAuthorizationRequest } from "@reading-list/core/domain/authorization.ts";
import { isRedirectUri, schemesOfApps } from "@reading-list/core/domain/oauth-client.ts";
import { signValue } from "@reading-list/core/domain/signed-text.ts";
import { newVerifier, OAuthApp, postTo } from "@reading-list/testing/oauth-app.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, describe, expect, test } from "vitest";

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

const registerJson = (fields: object) =>
  service.fetch(`${service.baseUrl}/readeck/api/oauth/client`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(fields),
  });

const fields = {
  client_name: "Example app",
  client_uri: "https://app.example/",
  redirect_uris: ["example.app:/callback", "https://app.example/callback"],
  software_id: "example",
  software_version: "1.0",
};

describe("an app registers itself", () => {
  test("with JSON, and gets an id, and what it has registered", async () => {
    const { status, body } = await registerJson(fields);
    expect(status).toBe(201);
    const client = JSON.parse(body);
    expect(client).toEqual({
      ...fields,
      client_id: expect.any(String),
      client_id_issued_at: service.clock.seconds(),
      registration_access_token: expect.any(String),
      registration_client_uri: `${service.baseUrl}/readeck/api/oauth/client/${client.client_id}`,
      grant_types: ["authorization_code", "urn:ietf:params:oauth:grant-type:device_code"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    });
  });

  test("with a form, in which lists are texts", async () => {
    const { status, body } = await postTo(service, "api/oauth/client", {
      client_name: "Form app",
      redirect_uris: "https://app.example/",
      grant_types: "authorization_code",
      response_types: "code",
    });
    expect([status, JSON.parse(body)]).toEqual([
      201,
      expect.objectContaining({ client_name: "Form app", redirect_uris: ["https://app.example/"] }),
    ]);
  });

  test("without a redirect, for only the device flow", async () => {
    const { status, body } = await registerJson({ client_name: "Reader", grant_types: "x", response_types: "code" });
    expect([status, JSON.parse(body)]).toEqual([
      201,
      expect.objectContaining({ grant_types: ["urn:ietf:params:oauth:grant-type:device_code"], response_types: [] }),
    ]);
  });

  test.each([
    ["a name that is too long", { client_name: "x".repeat(100) }, "x".repeat(60)],
    ["no name", { client_name: "" }, "An unnamed app"],
    ["a name that nobody sees", { client_name: "\u200b\u202e" }, "An unnamed app"],
  ])("with %s, and gets another one", async (_, given, name) => {
    expect(JSON.parse((await registerJson(given)).body).client_name).toBe(name);
  });

  test.each<[string, object, string]>([
    ["a redirect that runs script", { redirect_uris: ["javascript:alert(1)"] }, "invalid_redirect_uri"],
    ["too many redirects", { redirect_uris: Array(6).fill("https://app.example/") }, "invalid_redirect_uri"],
    ["too many bytes", { redirect_uris: [`https://app.example/${"x".repeat(1500)}`] }, "invalid_client_metadata"],
    ["a name that is no text", { client_name: 1 }, "invalid_request"],
  ])("with %s, and is 400 in OAuth's form", async (_, given, error) => {
    const { status, body } = await registerJson(given);
    expect([status, JSON.parse(body)]).toEqual([400, { error, error_description: expect.any(String) }]);
  });

  test("and the id, which a request line must have room for, has 2,100 characters at most", async () => {
    const { body } = await registerJson({ redirect_uris: [`https://app.example/${"x".repeat(1330)}`] });
    expect(JSON.parse(body).client_id.length).toBeLessThan(2100);
  });
});

test("nothing is stored for a client, which every process with the same secret knows", async () => {
  const secret = { PROOF_SECRET: "x".repeat(32) };
  const [one, other] = [await startTestService(secret), await startTestService(secret)];
  const app = await OAuthApp.register(one);
  expect(JSON.stringify(await one.records())).not.toContain("Example app");
  const { pathname, search } = new URL(app.authorizeUrl(newVerifier()));
  expect((await service.fetch(`${other.baseUrl}${pathname}${search}`)).status).toBe(200);
  expect((await service.fetch(`${service.baseUrl}${pathname}${search}`)).status).toBe(400);
});

describe("an app with the token of its registration", () => {
  const call = (app: OAuthApp, method: string, token = app.registered.registration_access_token, body?: object) =>
    service.fetch(app.registered.registration_client_uri ?? "", {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });

  test("reads it", async () => {
    const app = await OAuthApp.register(service);
    const { status, json } = await call(app, "GET");
    expect([status, json()]).toEqual([200, app.registered]);
  });

  test("changes it, and gets an id for the new data", async () => {
    const app = await OAuthApp.register(service);
    const { status, body } = await call(app, "PUT", undefined, { ...app.registered, software_version: "2.0" });
    const changed = JSON.parse(body);
    expect([status, changed]).toEqual([
      200,
      expect.objectContaining({ client_name: "Example app", software_version: "2.0" }),
    ]);
    expect(changed.client_id).not.toBe(app.clientId);
    const { registration_client_uri: uri, registration_access_token: token } = changed;
    expect((await service.fetch(uri, { headers: { authorization: `Bearer ${token}` } })).status).toBe(200);
  });

  test("deletes it, although none of it was stored", async () => {
    const app = await OAuthApp.register(service);
    expect((await call(app, "DELETE")).status).toBe(204);
  });

  test.each(["GET", "PUT", "DELETE"])("of another client, or without one, cannot %s it", async (method) => {
    const [app, other] = [await OAuthApp.register(service), await OAuthApp.register(service, { name: "Another app" })];
    for (const token of [other.registered.registration_access_token, "", "x"]) {
      const { status, body } = await call(app, method, token, method === "PUT" ? {} : undefined);
      expect([status, JSON.parse(body).error]).toEqual([401, "invalid_token"]);
    }
  });
});

test.each([
  ["https://app.example/callback", true],
  ["https://app.example:8443/callback?a=b", true],
  ["http://127.0.0.1:4567/", true],
  ["http://[::1]:4567/", true],
  ["http://localhost/", true],
  ["com.example.app:/callback", true],
  ["de.readeckapp://oauth2redirect", true],
  ["xn--p1ai.example.app:/callback", true],
  ["https://App.example/callback", true],
  ...schemesOfApps.map((scheme): [string, boolean] => [`${scheme}://oauth-callback`, true]),
  ["other://callback", false],
  ["app:/callback", false],
  ["ms-msdt:/id", false],
  ["intent://scan/", false],
  ["search-ms:query=x", false],
  ["mailto:a@example.com", false],
  ["x-apple.systempreferences:com.apple.preference", false],
  [".example.app:/callback", false],
  ["com..app:/callback", false],
  ["com.app.:/callback", false],
  ["https:app.example", false],
  ["https:///app.example", false],
  ["https:\\\\app.example", false],
  ["http://0x7f000001/", false],
  ["http://2130706433/", false],
  ["http://127.1/", false],
  ["http://app.example/", false],
  ["http://127.0.0.1.app.example/", false],
  ["http://10.0.0.1/", false],
  ["https://app.example/#part", false],
  ["https://user@app.example/", false],
  ["https://app.example/ x", false],
  ["https://app.example/\r\nSet-Cookie: a=b", false],
  ["https://äpp.example/", false],
  ["java\tscript:alert(1)", false],
  ["JavaScript:alert(1)", false],
  ["data:text/html,x", false],
  ["blob:https://app.example/1", false],
  ["file:///etc/passwd", false],
  ["vbscript:x", false],
  ["about:blank", false],
  ["ftp://app.example/", false],
  ["/callback", false],
  ["", false],
])("a redirect to '%s' can be registered: %s", (uri, expected) => {
  expect(isRedirectUri(uri)).toBe(expected);
});

test("docs/apps.md names the scheme of each app that is redirected to without a dot", () => {
  const docs = readFileSync(new URL("../../../../docs/apps.md", import.meta.url), "utf8");
  const line = docs.split("\n").find((each) => each.startsWith("- **Redirects**")) ?? "";
  expect(schemesOfApps.filter((scheme) => !line.includes(`\`${scheme}\``))).toEqual([]);
});

test.each(["ms-msdt:/id", "javascript:alert(1)", "https:app.example"])(
  "an app that an earlier version has let register '%s' redirects nobody there",
  (redirectUri) => {
    const key = createSecretKey(Buffer.alloc(32));
    const client = {
      name: "Old",
      redirectUris: [redirectUri],
      uri: "",
      softwareId: "",
      softwareVersion: "",
      issuedAt: 1,
    };
    const request = {
      client_id: signValue(key, client),
      redirect_uri: redirectUri,
      code_challenge: "a".repeat(43),
      code_challenge_method: "S256",
      access: "full",
    } as const;
    expect(readAuthorizationRequest(key, request, "readeck")).toEqual({
      kind: "invalid",
      refusal: { error: "invalid_request", description: expect.stringContaining("redirect_uri") },
    });
  },
);
