// SPDX-License-Identifier: MIT

import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { protocols } from "@reading-list/protocols/protocols.ts";
import { newName, TestUser } from "@reading-list/testing/client.ts";
import { newVerifier, OAuthApp, parametersOf } from "@reading-list/testing/oauth-app.ts";
import { ReadeckDevice } from "@reading-list/testing/readeck-device.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { languages, readCatalogue } from "@reading-list/web/catalogues.ts";
import { beforeAll, describe, expect, test } from "vitest";

let service: TestService;
let app: OAuthApp;

beforeAll(async () => {
  service = await startTestService({ PUBLIC_KEY_ADDRESS_LIMIT: "100000" });
  app = await OAuthApp.register(service);
});

const signInsOf = (user: TestUser) => service.operator.signIns.list(user.credentials.username);
const errorOf = ({ status, body }: { status: number; body: string }) => [status, JSON.parse(body).error];

describe("the pages on which apps sign in", () => {
  const titleOf = async (url: string, accepted: string) => {
    const { body } = await service.fetch(url, { headers: { "accept-language": accepted } });
    return /lang="(.*?)" dir="(.*?)".*<title>(.*?)</s.exec(body)?.slice(1);
  };

  test.each(languages)("have texts in %s, as the reader", async (language) => {
    const [lang, dir] = (await titleOf(app.authorizeUrl(newVerifier()), language)) ?? [];
    expect([lang, dir]).toEqual([language, readCatalogue(language).direction]);
  });

  test("are in the first language of the browser that has texts, or else in English", async () => {
    const url = `${service.baseUrl}/readeck/device`;
    expect(await titleOf(url, "xx, de-AT;q=0.9, fr;q=0.8")).toEqual(["de", "ltr", "Auf einem Gerät anmelden"]);
    expect(await titleOf(url, "constructor")).toEqual(["en", "ltr", "Sign in on a device"]);
    expect(await titleOf(url, "*")).toEqual(["en", "ltr", "Sign in on a device"]);
  });

  test("show the error in the browser's language", async () => {
    const fields = { username: newName(), password: "wrong", decision: "allow" };
    const { status, body } = await app.answerPage(app.authorizeUrl(newVerifier()), fields, { "accept-language": "es" });
    expect(status).toBe(401);
    expect(body).toContain("El nombre de usuario o la contraseña no son correctos.");
  });
});

describe("an app that a user lets sign in", () => {
  test("gets a code at its redirect with its state, and a token for the code, which calls the API", async () => {
    const user = await service.newUser();
    const verifier = newVerifier();
    const back = await app.agree(app.authorizeUrl(verifier), user.credentials);
    expect(back).toEqual({
      code: expect.any(String),
      state: "state of the app",
      iss: `${service.baseUrl}/readeck`,
    });
    const { status, body, headers } = await app.redeem(back.code ?? "", verifier);
    expect(status).toBe(200);
    expect(headers.get("cache-control")).toBe("no-store");
    const token = JSON.parse(body);
    expect(token).toEqual({
      id: expect.stringMatching(/^[a-z2-7]{10}$/),
      access_token: expect.stringMatching(new RegExp(`^${user.credentials.username}\\.[a-z2-7]{20}$`)),
      token_type: "Bearer",
      scope: "bookmarks:read bookmarks:write profile:read",
    });
    const device = new ReadeckDevice(user, token.access_token);
    expect((await device.call("POST", "bookmarks", { url: "https://example.com/" })).status).toBe(202);
    expect(await device.bookmarks()).toHaveLength(1);
  });

  test("is in the list of devices with its name, until it is revoked there", async () => {
    const user = await service.newUser();
    const token = await app.signIn(user.credentials);
    const [signIn] = await signInsOf(user);
    expect(signIn).toMatchObject({ name: "Example app" });
    await user.ok("app_passwords", { revoke: signIn?.id ?? "" });
    expect((await new ReadeckDevice(user, token).call("GET", "profile")).status).toBe(401);
  });

  test("ends its sign-in itself, once and again", async () => {
    const user = await service.newUser();
    const token = await app.signIn(user.credentials);
    for (const given of [`${token}x`, token, token]) expect((await app.revoke(given)).status).toBe(200);
    expect(await signInsOf(user)).toEqual([]);
  });

  test("has a token that does not expire", async () => {
    const user = await service.newUser();
    const token = await app.signIn(user.credentials);
    service.clock.advance(400 * 86_400);
    expect((await new ReadeckDevice(user, token).call("GET", "profile")).status).toBe(200);
  });
});

describe("the scope of a token", () => {
  const url = "https://example.com/";
  const save = (device: ReadeckDevice) => device.call("POST", "bookmarks", { url });
  const permissionsOf = async (device: ReadeckDevice) =>
    JSON.parse((await device.call("GET", "profile")).body).provider.permissions;

  test.each([
    ["bookmarks:write", "full", "bookmarks:read bookmarks:write profile:read", [202, 200]],
    ["bookmarks:read", "read", "bookmarks:read profile:read", [401, 200]],
    ["profile:read", "profile", "profile:read", [401, 401]],
  ])("%s is a sign-in of scope %s", async (asked, scope, granted, statuses) => {
    const user = await service.newUser();
    const verifier = newVerifier();
    const { code = "" } = await app.agree(app.authorizeUrl(verifier, { scope: asked }), user.credentials);
    const token = JSON.parse((await app.redeem(code, verifier)).body);
    expect(token.scope).toBe(granted);
    expect(JSON.parse((await user.ok("app_passwords")).body).list[token.id].scope).toBe(scope);
    const device = new ReadeckDevice(user, token.access_token);
    expect(await permissionsOf(device)).toEqual(granted.split(" ").map((each) => `api:${each}`));
    expect([(await save(device)).status, (await device.call("GET", "bookmarks")).status]).toEqual(statuses);
    expect((await app.revoke(token.access_token)).status).toBe(200);
    expect(await signInsOf(user)).toEqual([]);
  });

  test("without those of bookmarks opens the profile, and no other route or endpoint", async () => {
    const user = await service.newUser();
    const token = await app.signIn(user.credentials, "profile:read");
    const [username = "", password = ""] = token.split(".");
    const statuses = new Map<string, unknown>();
    for (const { contract, routes } of protocols) {
      for (const { route, caller } of routes.filter(({ caller }) => caller === "user")) {
        const [method = "", path = ""] = route.split(" ");
        const answer = await service.fetch(`${service.baseUrl}/${contract.name}${path.replaceAll(/{\w+}/g, "1")}`, {
          method,
          headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
          ...(method !== "GET" && { body: JSON.stringify({ username, password, url, urls: [url] }) }),
        });
        // A request without a field is refused because of that.
        if (![400, 422].includes(answer.status)) statuses.set(`${caller} ${contract.name} ${route}`, answer.status);
      }
    }
    for (const { name } of endpoints.filter(({ caller }) => caller === "user")) {
      const fields = { url, query: "harbour", confirm: username, new_password: "new" };
      const { status } = await user.call(name, { ...fields, password });
      statuses.set(`v2 ${name}`, status);
    }
    expect(statuses.size).toBeGreaterThan(40);
    expect(Object.fromEntries([...statuses].filter(([, status]) => status !== 401))).toEqual({
      "user readeck GET /api/profile": 200,
    });
  });
});

describe("the page", () => {
  test("shows the app's name, what it may do, and where the answer goes, as text", async () => {
    const tricky = await OAuthApp.register(service, {
      name: "<b>Reader</b>\u202e",
      redirectUri: "https://reader.example/callback",
    });
    const { status, headers, body } = await service.fetch(tricky.authorizeUrl(newVerifier()));
    expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(body).toContain("&lt;b&gt;Reader&lt;/b&gt;”");
    expect(body).toContain("Read and change your list");
    expect(body).toContain("<dd><bdi>reader.example</bdi></dd>");
    expect(body).not.toContain("<script");
  });

  test.each([
    ["bookmarks:write", "Read and change your list"],
    ["bookmarks:read other", "Read your list"],
    ["profile:read", "See your username"],
    ["", "See your username"],
  ])("says for the scope '%s': %s", async (scope, words) => {
    expect((await service.fetch(app.authorizeUrl(newVerifier(), { scope }))).body).toContain(words);
  });

  test("takes the username in any case, as phones write it", async () => {
    const { credentials } = await service.newUser();
    const username = `${credentials.username.toUpperCase()} `;
    const back = await app.agree(app.authorizeUrl(newVerifier()), { ...credentials, username });
    expect(back.code).toBeDefined();
  });

  test("leads to no app if the user refuses without signing in", async () => {
    const url = app.authorizeUrl(newVerifier());
    for (const fields of [{}, { username: newName() }, { password: "secret" }]) {
      const { status, headers, body } = await app.answerPage(url, { ...fields, decision: "deny" });
      expect([status, headers.get("location")]).toEqual([200, null]);
      expect(body).toContain("You denied access");
    }
  });

  test("informs the app that the user has signed in and refused, and creates no code", async () => {
    const user = await service.newUser();
    const url = app.authorizeUrl(newVerifier());
    const { status, headers } = await app.answerPage(url, { ...user.credentials, decision: "deny" });
    expect(status).toBe(302);
    expect(parametersOf(headers.get("location"))).toEqual({
      error: "access_denied",
      error_description: "the user denied access",
      state: "state of the app",
      iss: `${service.baseUrl}/readeck`,
    });
  });

  test("with a wrong password is 401 with a link to the form, and counts for the lockout", async () => {
    const user = await service.newUser();
    const url = app.authorizeUrl(newVerifier());
    const wrong = { ...user.credentials, password: "wrong", decision: "allow" };
    const { status, headers, body } = await app.answerPage(url, wrong);
    expect([status, headers.get("content-type")]).toEqual([401, "text/html; charset=utf-8"]);
    expect(body).toContain("The username or password is wrong.");
    expect(body).toContain(`href="${new URL(url).search.replaceAll("&", "&amp;")}"`);
    for (let guess = 2; guess <= 10; guess++) expect((await app.answerPage(url, wrong)).status).toBe(401);
    expect((await app.answerPage(url, { ...user.credentials, decision: "allow" })).status).toBe(429);
  });

  test("takes no app password", async () => {
    const user = await service.newUser();
    const { password } = JSON.parse((await user.ok("app_passwords", { create: "Phone" })).body);
    const { username } = user.credentials;
    const url = app.authorizeUrl(newVerifier());
    const { status, body } = await app.answerPage(url, { username, password, decision: "allow" });
    expect(status).toBe(401);
    expect(body).toContain("app password");
    expect(await signInsOf(user)).toHaveLength(1);
  });

  test.each([
    ["another answer than a code", { response_type: "token" }, "response_type"],
    ["no challenge", { code_challenge: "" }, "code_challenge"],
    ["a challenge of another form", { code_challenge: "abc" }, "code_challenge"],
    ["an unknown scope", { scope: "everything" }, "scope"],
  ])("of a request with %s names the fault, and redirects nobody", async (_, changes, name) => {
    const { credentials } = await service.newUser();
    const url = app.authorizeUrl(newVerifier(), changes);
    for (const { status, headers, body } of [
      await service.fetch(url, { redirect: "manual" }),
      await app.answerPage(url, { decision: "deny" }),
      await app.answerPage(url, { ...credentials, decision: "allow" }),
    ]) {
      expect([status, headers.get("location"), headers.get("content-type")]).toEqual([
        400,
        null,
        "text/html; charset=utf-8",
      ]);
      expect(body).toContain(name);
    }
  });

  test("keeps the query of a redirect", async () => {
    const { credentials } = await service.newUser();
    const other = await OAuthApp.register(service, { redirectUri: "https://app.example/back?page=1" });
    const url = other.authorizeUrl(newVerifier());
    const { headers } = await other.answerPage(url, { ...credentials, decision: "deny" });
    expect(parametersOf(headers.get("location"))).toMatchObject({ page: "1", error: "access_denied" });
  });
});

describe("a code", () => {
  const codeOf = async (user: TestUser, verifier: string) =>
    (await app.agree(app.authorizeUrl(verifier), user.credentials)).code ?? "";

  test("is good for 60 s", async () => {
    const user = await service.newUser();
    const verifier = newVerifier();
    const [first, second] = [await codeOf(user, verifier), await codeOf(user, verifier)];
    service.clock.advance(59);
    expect((await app.redeem(first, verifier)).status).toBe(200);
    service.clock.advance(1);
    expect(errorOf(await app.redeem(second, verifier))).toEqual([400, "invalid_grant"]);
  });

  test("of a user whose password has changed, or who was deleted and registered again, does not work", async () => {
    const user = new TestUser(service, newName(), "secret");
    await user.ok("signup");
    const verifier = newVerifier();
    const [first, second] = [await codeOf(user, verifier), await codeOf(user, verifier)];
    await user.ok("password", { new_password: "another" });
    expect(errorOf(await app.redeem(first, verifier))).toEqual([400, "invalid_grant"]);
    const { username } = user.credentials;
    await user.ok("delete_account", { password: "another", confirm: username });
    await user.ok("signup");
    expect(errorOf(await app.redeem(second, verifier))).toEqual([400, "invalid_grant"]);
    expect(await signInsOf(user)).toEqual([]);
  });

  test("and its token are stored only as hashes", async () => {
    const user = await service.newUser();
    const verifier = newVerifier();
    const code = await codeOf(user, verifier);
    const unused = JSON.stringify(await service.records());
    const token = JSON.parse((await app.redeem(code, verifier)).body).access_token;
    const stored = unused + JSON.stringify(await service.records());
    for (const secret of [code, token]) expect(stored).not.toContain(secret.split(".")[1]);
    expect(stored).toContain("Example app");
  });

  test.each([
    ["another type of grant", { grant_type: "password" }, "unsupported_grant_type"],
    ["no type of grant", { grant_type: "" }, "unsupported_grant_type"],
    ["no code", { code: "" }, "invalid_grant"],
    ["a code of another form", { code: "abc" }, "invalid_grant"],
    ["no verifier", { code_verifier: "" }, "invalid_request"],
    ["another client", { client_id: "another" }, "invalid_grant"],
    ["another redirect", { redirect_uri: "https://app.example/" }, "invalid_grant"],
  ])("sent with %s is 400 in OAuth's form, and good afterwards", async (_, changes, error) => {
    const verifier = newVerifier();
    const code = await codeOf(await service.newUser(), verifier);
    const { status, body } = await app.redeem(code, verifier, changes);
    expect([status, JSON.parse(body)]).toEqual([400, { error, error_description: expect.any(String) }]);
    const { clientId: client_id, redirectUri: redirect_uri } = app;
    expect((await app.redeem(code, verifier, { client_id, redirect_uri })).status).toBe(200);
  });
});
