// SPDX-License-Identifier: MIT

import { apis } from "@reading-list/core/contract/apis.ts";
import type { Answer, TestUser } from "@reading-list/testing/client.ts";
import { newVerifier, OAuthApp } from "@reading-list/testing/oauth-app.ts";
import { basic } from "@reading-list/testing/opds-reader.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, describe, expect, test } from "vitest";

let service: TestService;
let app: OAuthApp;
let resources: Record<"mcp" | "readeck", string>;

beforeAll(async () => {
  service = await startTestService({ PUBLIC_KEY_ADDRESS_LIMIT: "100000" });
  app = await OAuthApp.register(service);
  resources = { mcp: `${service.baseUrl}/mcp`, readeck: `${service.baseUrl}/readeck` };
});

const errorOf = ({ status, body }: Answer) => [status, JSON.parse(body).error];
const scope = "bookmarks:read bookmarks:write";

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  service.fetch(`${service.baseUrl}/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
const read = (path: string, authorization: string) =>
  service.fetch(`${service.baseUrl}/${path}`, { headers: { authorization } });

/** A call of each API with a token. */
const calls: Record<string, (token: string, username: string, secret: string) => Promise<Answer>> = {
  feeds: (token) => service.fetch(`${service.baseUrl}/feeds/${token}.atom`),
  greader: (token) => read("greader/reader/api/0/user-info", `GoogleLogin auth=${token}`),
  kobo: (access_token) => post("kobo/api/kobo/get", { access_token }),
  linkding: (token) => read("linkding/api/user/profile", `Token ${token}`),
  mcp: (token) => post("mcp", { jsonrpc: "2.0", id: 1, method: "ping" }, { authorization: `Bearer ${token}` }),
  opds: (_, username, secret) => read("opds", basic(username, secret)),
  readeck: (token) => read("readeck/api/bookmarks", `Bearer ${token}`),
  wallabag: (token) => read("wallabag/api/entries", `Bearer ${token}`),
};

/** The APIs that a token opens, the service's own among them as `v2`. Each of the others is 401 and says why. */
async function openedBy(token: string, user: TestUser): Promise<string[]> {
  const [username = "", secret = ""] = token.split(".");
  const answers = [
    ...apis.map(async ({ name }) => [name, await calls[name]?.(token, username, secret)] as const),
    user.call("get", { password: secret }).then((answer) => ["v2", answer] as const),
  ];
  const opened: string[] = [];
  for (const [name, answer] of await Promise.all(answers)) {
    if (answer?.status === 200) opened.push(name);
    else {
      // OPDS has a document in its body that says how to sign in.
      const reason = `${answer?.headers.get("x-error")} ${answer?.body}`;
      expect([name, answer?.status, reason]).toEqual([
        name,
        401,
        expect.stringMatching(/for another API|does not include this call/),
      ]);
    }
  }
  return opened;
}

describe("the token of an app", () => {
  test.each([
    ["without a resource", "", ["readeck"]],
    ["for Readeck's API", "readeck", ["readeck"]],
    ["for assistants", "mcp", ["mcp"]],
  ])("%s opens only that API, and does not count as a wrong password elsewhere", async (_, name, opened) => {
    const user = await service.newUser();
    const token = await app.signIn(user.credentials, scope, resources[name as "mcp"] ?? "");
    for (let n = 0; n < 11; n++) expect(await openedBy(token, user)).toEqual(opened);
    expect((await user.call("auth", {})).status).toBe(200);
    const { list } = JSON.parse((await user.ok("app_passwords")).body);
    expect(Object.values(list)).toMatchObject([{ scope: "full" }]);
  });

  test("for Readeck's API is refused by /mcp, which says where to get another", async () => {
    const user = await service.newUser();
    const answer = await calls.mcp?.(await app.signIn(user.credentials), "", "");
    expect(answer?.headers.get("www-authenticate")).toContain("/.well-known/oauth-protected-resource/mcp");
  });

  test("for a device opens the API that the device has asked for", async () => {
    const user = await service.newUser();
    const { body } = await app.requestDevice({ scope, resource: resources.mcp });
    const { device_code, verification_uri_complete: url } = JSON.parse(body);
    await app.answerPage(url, { ...user.credentials, decision: "allow" });
    expect(await openedBy(JSON.parse((await app.poll(device_code)).body).access_token, user)).toEqual(["mcp"]);
  });

  test("that the user has made opens all APIs but feeds", async () => {
    const user = await service.newUser();
    const { password } = JSON.parse((await user.ok("app_passwords", { create: "Phone" })).body);
    const opened = await openedBy(`${user.credentials.username}.${password}`, user);
    expect(opened).toEqual(["greader", "kobo", "linkding", "mcp", "opds", "readeck", "wallabag", "v2"]);
  });
});

describe("a resource", () => {
  test("is an address of this service, in any case of its host, with a slash at the end or without", async () => {
    const user = await service.newUser();
    for (const resource of [resources.mcp.replace("http:", "HTTP:"), `${resources.mcp}/`]) {
      expect(await openedBy(await app.signIn(user.credentials, scope, resource), user)).toEqual(["mcp"]);
    }
  });

  test.each(["https://evil.example/mcp", "http://127.0.0.1/", "/mcp", "mcp", "opds", "other"])(
    "that does not belong to an API with tokens (%s) is refused: its site would get the token",
    async (name) => {
      const resource = name === "opds" || name === "other" ? `${service.baseUrl}/${name}` : name;
      const user = await service.newUser();
      const url = app.authorizeUrl(newVerifier(), { resource });
      const { status, headers } = await app.answerPage(url, { ...user.credentials, decision: "allow" });
      expect([status, headers.get("location")]).toEqual([400, null]);
      expect(errorOf(await app.requestDevice({ resource }))).toEqual([400, "invalid_target"]);
    },
  );

  test("may be repeated with the code, and no other may be named", async () => {
    const user = await service.newUser();
    const verifier = newVerifier();
    const url = app.authorizeUrl(verifier, { resource: resources.mcp });
    const { code = "" } = await app.agree(url, user.credentials);
    for (const resource of [resources.readeck, "https://evil.example/mcp"])
      expect(errorOf(await app.redeem(code, verifier, { resource }))).toEqual([400, "invalid_target"]);
    const { status, body } = await app.redeem(code, verifier, { resource: resources.mcp });
    expect([status, await openedBy(JSON.parse(body).access_token, user)]).toEqual([200, ["mcp"]]);
  });

  test("equals the one in the metadata, on both sides", async () => {
    const metadataOf = async (path: string) =>
      JSON.parse((await service.fetch(`${service.baseUrl}/.well-known/${path}`)).body);
    const resource = await metadataOf("oauth-protected-resource/mcp");
    const server = await metadataOf("oauth-authorization-server/readeck");
    expect(resource.authorization_servers).toEqual([server.issuer]);
    expect(server.protected_resources).toContain(resource.resource);
    expect(server.scopes_supported).toEqual(expect.arrayContaining(resource.scopes_supported));
    expect(resource.resource).toBe(resources.mcp);
  });
});
