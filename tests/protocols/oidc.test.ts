// SPDX-License-Identifier: MIT

import { TestUser } from "@reading-list/testing/client.ts";
import { commandsFor } from "@reading-list/testing/command-line.ts";
import { FakeClock } from "@reading-list/testing/fake-clock.ts";
import { findFreePort } from "@reading-list/testing/free-port.ts";
import { IdentityProvider, oidcClient, RedirectFollower } from "@reading-list/testing/identity-provider.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { startInProcess, startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

let provider: IdentityProvider;
let port: number;
let publicUrl: string;
let service: TestService;

beforeAll(async () => {
  port = await findFreePort();
  publicUrl = `http://127.0.0.1:${port}`;
  provider = await IdentityProvider.start(`${publicUrl}/app/oidc/callback`);
});
afterAll(() => provider.stop());
beforeEach(() => {
  provider.person = { sub: "1", claims: { preferred_username: "Ann.Smith@example.com" } };
});

const variables = () => ({
  ...{ OIDC_ISSUER: provider.issuer, OIDC_NAME: "Our login", PORT: String(port), BASE_URL: publicUrl },
  ...{ OIDC_CLIENT_ID: oidcClient.clientId, OIDC_CLIENT_SECRET: oidcClient.clientSecret },
});

/** Starts the service anew, on an empty database. Its clock stays behind that of the provider, however far a test moves it. */
async function start(env: Record<string, string> = {}): Promise<void> {
  await service?.stop();
  const clock = new FakeClock(Math.floor(Date.now() / 1000) - 4 * 3600);
  service = await startTestService({ ...variables(), ...env }, { clock });
}

const isReader = (url: string) => url.startsWith(`${publicUrl}/app/#`);
const begin = (browser: RedirectFollower, query = "") => browser.follow(`${publicUrl}/app/oidc${query}`, isReader);
const fragmentOf = (url: string) => new URLSearchParams(new URL(url).hash.slice(1));

/** Exchanges the code in the address of the reader, in the browser that has it. */
async function exchange(browser: RedirectFollower, code: string | null, fields: Record<string, string> = {}) {
  const body = new URLSearchParams({ code: code ?? "", ...fields });
  const response = await browser.fetch(`${publicUrl}/app/oidc/exchange`, { method: "POST", body });
  const isJson = response.headers.get("content-type")?.startsWith("application/json");
  const answer = isJson ? ((await response.json()) as { username: string; password: string; id?: string }) : undefined;
  return { status: response.status, code: response.headers.get("x-error-code"), answer };
}

/** Signs the person of the provider in, in a new browser; returns the user with the password of the device. */
async function signOn(): Promise<TestUser> {
  const browser = new RedirectFollower();
  const { url, response } = await begin(browser);
  if (!isReader(url)) throw new Error(`${response.status} ${await response.text()}`);
  const { answer } = await exchange(browser, fragmentOf(url).get("signin"));
  return new TestUser(service, answer?.username ?? "", answer?.password ?? "");
}

/** A token in place of the account's password. */
async function freshToken(): Promise<string> {
  const browser = new RedirectFollower();
  const { url } = await begin(browser, "?fresh=1");
  const { answer } = await exchange(browser, fragmentOf(url).get("fresh"), { fresh: "1" });
  return answer?.password ?? "";
}

describe("single sign-on", () => {
  beforeAll(() => start());

  test("begins at /app/oidc with state, nonce and PKCE, and keeps them in a cookie of this path", async () => {
    const response = await fetch(`${publicUrl}/app/oidc`, { redirect: "manual" });
    expect(response.status).toBe(302);
    const location = new URL(response.headers.get("location") ?? "");
    expect(location.href).toContain(`${provider.issuer}/auth?`);
    const asked = Object.fromEntries(location.searchParams);
    expect(asked).toMatchObject({
      ...{ client_id: oidcClient.clientId, redirect_uri: `${publicUrl}/app/oidc/callback`, response_type: "code" },
      ...{
        code_challenge_method: "S256",
        state: expect.stringMatching(/.{20}/),
        nonce: expect.stringMatching(/.{20}/),
      },
    });
    expect(response.headers.get("set-cookie")).toMatch(/; Path=\/app\/oidc; HttpOnly; SameSite=Lax; Max-Age=600$/);
    expect(response.headers.get("referrer-policy")).toBe("no-referrer");
  });

  test("makes a user of a proposed name once, and finds the user by issuer and subject alone", async () => {
    const first = await signOn();
    expect(first.credentials.username).toBe("ann-smith");
    await first.add("https://example.com/");
    provider.person = { sub: "1", claims: { preferred_username: "another" } };
    const second = await signOn();
    expect(second.credentials.username).toBe("ann-smith");
    expect(Object.keys((await second.get()).list)).toHaveLength(1);
    // Somebody else with the same claims.
    provider.person = { sub: "2", claims: { preferred_username: "ann.smith" } };
    expect((await signOn()).credentials.username).toBe("ann-smith-2");
    provider.person = { sub: "3" };
    expect((await signOn()).credentials.username).toBe("reader");
  });

  test("/app/oidc/logout ends the session at the provider, which leads back to the reader", async () => {
    const browser = new RedirectFollower();
    await begin(browser);
    const { url, response } = await browser.follow(`${publicUrl}/app/oidc/logout`, () => false);
    const asked = new URL(url).searchParams;
    expect(url).toContain(`${provider.issuer}/session/end?`);
    expect(asked.get("client_id")).toBe(oidcClient.clientId);
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(await response.text())?.[1] ?? "";
    const body = new URLSearchParams({ xsrf, logout: "yes" });
    const ended = await browser.fetch(`${provider.issuer}/session/end/confirm`, { method: "POST", body });
    expect(ended.headers.get("location")).toBe(`${publicUrl}/app/`);
    expect([...browser.cookiesOf(provider.issuer).keys()]).not.toContain("_session");
  });

  test("gives the device a sign-in that is listed, and that a fresh one revokes", async () => {
    const user = await signOn();
    const { username } = user.credentials;
    const refused = await user.call("app_passwords");
    expect(refused.headers.get("x-error-code")).toBe("app_password");
    const fresh = new TestUser(service, username, await freshToken());
    const list = Object.values(JSON.parse((await fresh.ok("app_passwords")).body).list) as {
      id: string;
      name: string;
    }[];
    expect(new Set(list.map(({ name }) => name))).toEqual(new Set(["Web reader"]));
    for (const { id } of list) await fresh.ok("app_passwords", { revoke: id });
    expect((await user.call("auth")).status).toBe(401);
  });

  test("a code works once, for 60 seconds, in the browser that has signed in, and opens nothing else", async () => {
    const browser = new RedirectFollower();
    const { url } = await begin(browser);
    const code = fragmentOf(url).get("signin") ?? "";
    const [username = "", secret = ""] = code.split(".");
    for (const endpoint of ["auth", "get", "app_passwords", "delete_account"]) {
      const answer = await service.call(endpoint, { username, password: secret, confirm: username });
      expect([endpoint, answer.status]).toEqual([endpoint, 401]);
    }
    // A link with somebody else's code must sign nobody in to that account.
    const other = new RedirectFollower();
    await begin(other);
    for (const each of [other, new RedirectFollower()]) expect((await exchange(each, code)).status).toBe(401);
    const both = await Promise.all([exchange(browser, code), exchange(browser, code)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
    expect((await exchange(browser, code)).status).toBe(401);
    const late = fragmentOf((await begin(browser)).url).get("signin");
    service.clock.advance(61);
    expect(await exchange(browser, late)).toMatchObject({ status: 401, code: "app_password_expired" });
    expect((await exchange(browser, "nonsense")).status).toBe(401);
  });

  test("a fresh token is the account's password for 10 minutes, and opens nothing else", async () => {
    const { credentials } = await signOn();
    const fresh = new TestUser(service, credentials.username, await freshToken());
    expect(fresh.credentials.password).toMatch(/^[a-z2-7]{20}$/);
    for (const endpoint of ["get", "auth", "stats"]) expect((await fresh.call(endpoint)).status).toBe(401);
    const { password } = JSON.parse((await fresh.ok("app_passwords", { create: "Phone" })).body);
    expect(JSON.stringify(await service.records())).not.toContain(fresh.credentials.password);
    service.clock.advance(601);
    expect((await fresh.call("app_passwords")).headers.get("x-error-code")).toBe("app_password_expired");
    expect((await service.call("auth", { username: credentials.username, password })).status).toBe(200);
  });

  test("a fresh token is there for who has as many app passwords as are allowed", async () => {
    provider.person = { sub: "many", claims: { preferred_username: "many" } };
    const { credentials } = await signOn();
    const fresh = new TestUser(service, credentials.username, await freshToken());
    for (let number = 1; number < 49; number++) await fresh.ok("app_passwords", { create: `App ${number}` });
    const full = await fresh.call("app_passwords", { create: "One more" });
    const again = new TestUser(service, credentials.username, await freshToken());
    expect(full.status === 400 || (await again.call("app_passwords", { create: "Yet one" })).status === 400).toBe(true);
    const { list } = JSON.parse((await again.ok("app_passwords")).body);
    await again.ok("app_passwords", { revoke: Object.keys(list)[0] ?? "" });
  });

  test("a fresh sign-in needs a new authentication", async () => {
    await signOn();
    provider.person = { ...provider.person, loginAgo: 8 * 3600 };
    const { url, response } = await begin(new RedirectFollower(), "?fresh=1");
    expect(isReader(url)).toBe(false);
    expect(response.status).toBeGreaterThanOrEqual(400);
  });

  test("its user, who has no password, can delete the account, and comes back as a new one", async () => {
    provider.person = { sub: "leaving", claims: { preferred_username: "leaving" } };
    const { credentials } = await signOn();
    const { username } = credentials;
    const fresh = new TestUser(service, username, await freshToken());
    await fresh.ok("delete_account", { confirm: username });
    expect(JSON.stringify(await service.records())).not.toContain('"leaving"');
    const again = await signOn();
    expect(again.credentials.username).toBe("leaving");
    expect(Object.keys((await again.get()).list)).toEqual([]);
  });

  describe("refuses", () => {
    /** A browser that the provider sends back, and the address of the callback. */
    async function untilCallback() {
      const browser = new RedirectFollower();
      const callback = await browser.follow(`${publicUrl}/app/oidc`, (url) => url.includes("/callback?"));
      return { browser, url: callback.url };
    }
    const statusOf = async (browser: RedirectFollower, url: string) => (await browser.fetch(url)).status;
    const changed = (url: string, parameter: string, value: string) => {
      const other = new URL(url);
      other.searchParams.set(parameter, value);
      return other.href;
    };

    test("an answer to another browser, with another state, or after 10 minutes", async () => {
      const { browser, url } = await untilCallback();
      expect(await statusOf(new RedirectFollower(), url)).toBe(401);
      expect(await statusOf(browser, changed(url, "state", "another"))).toBe(401);
      service.clock.advance(601);
      expect(await statusOf(browser, url)).toBe(401);
    });

    test("an answer in the name of another issuer, and a code that was used", async () => {
      const { browser, url } = await untilCallback();
      expect(new URL(url).searchParams.get("iss")).toBe(provider.issuer);
      expect(await statusOf(browser, changed(url, "iss", "https://evil.example"))).toBe(401);
      const second = await untilCallback();
      expect(await statusOf(second.browser, changed(second.url, "code", "guessed"))).toBe(401);
    });

    test("the answer of another walk of the same browser: its nonce and verifier are others", async () => {
      const first = await untilCallback();
      const second = await untilCallback();
      const code = new URL(first.url).searchParams.get("code") ?? "";
      expect(await statusOf(second.browser, changed(second.url, "code", code))).toBe(401);
    });

    test("a cookie that was changed", async () => {
      const { browser, url } = await untilCallback();
      const jar = browser.cookiesOf(publicUrl);
      const [[name, value] = ["", ""]] = jar;
      const [payload = "", signature = ""] = value.split(".");
      const begun = JSON.parse(Buffer.from(payload, "base64url").toString());
      const forged = Buffer.from(JSON.stringify({ ...begun, purpose: "fresh" })).toString("base64url");
      jar.set(name, `${forged}.${signature}`);
      expect(await statusOf(browser, url)).toBe(401);
    });

    test("who does not agree at the provider, with a page that says so", async () => {
      provider.person = { sub: "1", refuses: true };
      const { url, response } = await begin(new RedirectFollower());
      expect([isReader(url), response.status]).toEqual([false, 401]);
      expect(await response.text()).toContain("you have not agreed");
    });

    test("calls of other sites, headers that name somebody, and a provider that is gone", async () => {
      const origin = "https://evil.example";
      const body = new URLSearchParams({ invitation: "x" });
      const forged = await fetch(`${publicUrl}/app/oidc`, { method: "POST", body, headers: { origin } });
      expect(forged.headers.get("x-error-code")).toBe("other_site");
      const headers = { "remote-user": "ann-smith", "x-forwarded-user": "ann-smith", authorization: "Bearer x" };
      const named = await fetch(`${publicUrl}/v2/auth?${service.formOf({ username: "ann-smith" })}`, { headers });
      expect(named.status).toBe(400);
      await start({ OIDC_ISSUER: `http://127.0.0.1:${await findFreePort()}` });
      expect((await fetch(`${publicUrl}/app/oidc`)).status).toBe(503);
      await start();
    });
  });
});

describe("an account that exists", () => {
  beforeAll(() => start());

  test("is linked by its signed-in user alone, by no name and no claim", async () => {
    const ann = await service.newUser("ann");
    provider.person = { sub: "ann-at-work", claims: { preferred_username: "ann" } };
    expect((await signOn()).credentials.username).toBe("ann-2");
    provider.person = { sub: "other", claims: { preferred_username: "ann" } };
    const post = (path: string, fields: Record<string, string>) =>
      fetch(`${publicUrl}/app/oidc${path}`, { method: "POST", body: new URLSearchParams(fields) });
    const { password: app } = JSON.parse((await ann.ok("app_passwords", { create: "Phone" })).body);
    expect((await post("/link", { ...ann.credentials, password: app })).status).toBe(401);
    expect((await post("/link", { ...ann.credentials, password: "wrong" })).status).toBe(401);

    const browser = new RedirectFollower();
    const link = async () => {
      const body = new URLSearchParams({ ...ann.credentials });
      const answer = await browser.fetch(`${publicUrl}/app/oidc/link`, { method: "POST", body });
      return browser.follow(((await answer.json()) as { url: string }).url, isReader);
    };
    const isLinked = async () => (await (await post("/state", { ...ann.credentials })).json()) as { linked: boolean };
    expect(await isLinked()).toEqual({ linked: false });
    expect(fragmentOf((await link()).url).get("linked")).toBe("1");
    expect(await isLinked()).toEqual({ linked: true });
    expect((await signOn()).credentials.username).toBe("ann");
    // An identity that is another user's stays that.
    provider.person = { sub: "ann-at-work" };
    const second = new RedirectFollower();
    const body = new URLSearchParams({ ...ann.credentials });
    const answer = await second.fetch(`${publicUrl}/app/oidc/link`, { method: "POST", body });
    const outcome = await second.follow(((await answer.json()) as { url: string }).url, isReader);
    expect([isReader(outcome.url), outcome.response.status]).toEqual([false, 401]);
    await post("/unlink", { ...ann.credentials });
    provider.person = { sub: "other", claims: { preferred_username: "ann" } };
    expect((await signOn()).credentials.username).toBe("ann-3");
  });
});

test("with a closed signup an identity makes a user by an invitation alone", async () => {
  await start({ SIGNUP: "closed" });
  provider.person = { sub: "guest", claims: { preferred_username: "guest" } };
  const { response } = await begin(new RedirectFollower());
  expect(response.status).toBe(403);
  const operator = new TestUser(service, "boss", "secret");
  const code = new URL(service.operatorLink ?? "").hash.slice("#code=".length);
  await operator.ok("signup", { invitation: code });
  const { url = "" } = JSON.parse((await operator.ok("operator/links", { create: "signup" })).body);
  const invitation = fragmentOf(url).get("invitation") ?? "";
  const browser = new RedirectFollower();
  const walk = async () => {
    const body = new URLSearchParams({ invitation });
    const answer = await browser.fetch(`${publicUrl}/app/oidc`, { method: "POST", body });
    return browser.follow(((await answer.json()) as { url: string }).url, isReader);
  };
  const { answer } = await exchange(browser, fragmentOf((await walk()).url).get("signin"));
  expect(answer?.username).toBe("guest");
  provider.person = { sub: "second guest" };
  browser.cookiesOf(provider.issuer).clear();
  expect((await walk()).response.status).toBe(403);
});

test("OIDC_ONLY: account passwords open nothing and nobody signs up; app passwords go on", async () => {
  const DATA_DIR = temporaryFolder();
  await start({ DATA_DIR });
  const ann = await service.newUser("ann");
  const { password: app } = JSON.parse((await ann.ok("app_passwords", { create: "Phone" })).body);
  await start({ DATA_DIR, OIDC_ONLY: "1" });
  const phone = new TestUser(service, "ann", app);
  expect((await phone.call("get")).status).toBe(200);
  const again = new TestUser(service, "ann", ann.credentials.password);
  for (const endpoint of ["auth", "get", "app_passwords", "delete_account"]) {
    expect([endpoint, (await again.call(endpoint, { confirm: "ann" })).status]).toEqual([endpoint, 401]);
  }
  for (const invitation of [{}, { invitation: "x" }]) {
    const answer = await service.call("signup", { username: "bob", password: "secret", ...invitation });
    expect([answer.status, answer.headers.get("x-error-code")]).toEqual([403, "signup_closed"]);
  }
  expect(await (await fetch(`${publicUrl}/app/config.json`)).json()).toMatchObject({
    ...{ isSignupOpen: false, signOn: { name: "Our login", isOnly: true } },
  });
  provider.person = { sub: "new", claims: { preferred_username: "newcomer" } };
  const newcomer = await signOn();
  expect(newcomer.credentials.username).toBe("newcomer");
  const commands = commandsFor(service);
  await commands.ok("users", "operator", "newcomer");
  const fresh = await freshToken();
  expect((await service.call("operator/state", { username: "newcomer", password: fresh })).status).toBe(200);
});

test.each([
  [{ OIDC_ISSUER: "http://login.example.com" }, "OIDC_ISSUER: must be an https URL, or on a loopback address"],
  [{ OIDC_CLIENT_ID: "" }, "OIDC_CLIENT_ID: must be set, because OIDC_ISSUER is"],
  [{ OIDC_CLIENT_SECRET: "" }, "OIDC_CLIENT_SECRET: must be set, because OIDC_ISSUER is"],
  [{ BASE_URL: "" }, "BASE_URL: must be set, because OIDC_ISSUER is"],
  [{ OIDC_ISSUER: "", OIDC_ONLY: "1" }, "OIDC_ISSUER: must be set, because OIDC_ONLY is 1"],
  [{ DYNAMODB_ENDPOINT: "http://127.0.0.1:1" }, /OIDC_ISSUER: single sign-on needs|DYNAMODB_ENDPOINT/],
])("the service does not start with %j", async (wrong: Record<string, string>, message) => {
  const env = { ...variables(), DATA_DIR: temporaryFolder(), PORT: "0", ...wrong };
  await expect(startInProcess(env)).rejects.toThrow(message);
});
