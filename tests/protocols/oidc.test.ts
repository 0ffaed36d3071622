// SPDX-License-Identifier: MIT

import { TestUser } from "@reading-list/testing/client.ts";
import { commandsFor } from "@reading-list/testing/command-line.ts";
import { FakeClock } from "@reading-list/testing/fake-clock.ts";
import { findFreePort } from "@reading-list/testing/free-port.ts";
import { IdentityProvider, oidcClient, RedirectFollower } from "@reading-list/testing/identity-provider.ts";
import { SignOnBrowser } from "@reading-list/testing/sign-on-browser.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { startInProcess, startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";

const isOnDynamodb = inject("isOnDynamodb");

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
  OIDC_ISSUER: provider.issuer,
  OIDC_NAME: "Our login",
  PORT: String(port),
  BASE_URL: publicUrl,
  OIDC_CLIENT_ID: oidcClient.clientId,
  OIDC_CLIENT_SECRET: oidcClient.clientSecret,
});

/**
 * Starts the service again, on an empty database. Its clock stays behind the provider's, however far a test moves it.
 */
async function start(env: Record<string, string> = {}): Promise<void> {
  await service?.stop();
  const clock = new FakeClock(Math.floor(Date.now() / 1000) - 4 * 3600);
  service = await startTestService({ ...variables(), ...env }, { clock });
}

const newBrowser = () => new SignOnBrowser(publicUrl);

/** Signs the person of the provider in, in a new browser; returns the user with the password of the device. */
async function signOn(): Promise<TestUser> {
  const browser = newBrowser();
  const arrived = await browser.walk("");
  if (!arrived.fragment.has("signin")) throw new Error(`${arrived.response.status} ${await arrived.response.text()}`);
  const { answer } = await browser.exchange(arrived);
  return new TestUser(service, answer?.username ?? "", answer?.password ?? "");
}

/** A token instead of the account's password. */
async function freshToken(): Promise<string> {
  const browser = newBrowser();
  const { answer } = await browser.exchange(await browser.walk("", { fresh: "1" }), { fresh: "1" });
  return answer?.password ?? "";
}

describe("single sign-on", () => {
  beforeAll(() => start());

  test("returns an address where the reader starts, which sets the cookie and works for 10 minutes", async () => {
    const { url } = (await (await newBrowser().post("", {})).json()) as { url: string };
    expect(url).toContain(`${publicUrl}/app/oidc?begin=`);
    const response = await fetch(url, { redirect: "manual" });
    expect(response.headers.get("location")).toContain(`${provider.issuer}/auth?`);
    expect(response.headers.get("set-cookie")).toMatch(/; Path=\/app\/oidc; HttpOnly; SameSite=Lax; Max-Age=600$/);
    expect((await fetch(`${url}x`, { redirect: "manual" })).status).toBe(401);
    service.clock.advance(601);
    expect((await fetch(url, { redirect: "manual" })).status).toBe(401);
  });

  test("begins at /app/oidc with state, nonce and PKCE, and keeps them in a cookie of this path", async () => {
    const response = await fetch(`${publicUrl}/app/oidc`, { redirect: "manual" });
    expect(response.status).toBe(302);
    const location = new URL(response.headers.get("location") ?? "");
    expect(location.href).toContain(`${provider.issuer}/auth?`);
    const asked = Object.fromEntries(location.searchParams);
    expect(asked).toMatchObject({
      client_id: oidcClient.clientId,
      redirect_uri: `${publicUrl}/app/oidc/callback`,
      response_type: "code",
      code_challenge_method: "S256",
      state: expect.stringMatching(/.{20}/),
      nonce: expect.stringMatching(/.{20}/),
    });
    expect(response.headers.get("set-cookie")).toMatch(/; Path=\/app\/oidc; HttpOnly; SameSite=Lax; Max-Age=600$/);
    expect(response.headers.get("referrer-policy")).toBe("no-referrer");
  });

  test("makes a user of a proposed name once, and finds the user only by issuer and subject", async () => {
    const first = await signOn();
    expect(first.credentials.username).toBe("ann-smith");
    await first.add("https://example.com/");
    provider.person = { sub: "1", claims: { preferred_username: "another" } };
    const second = await signOn();
    expect(second.credentials.username).toBe("ann-smith");
    expect(Object.keys((await second.get()).list)).toHaveLength(1);
    // Someone else with the same claims.
    provider.person = { sub: "2", claims: { preferred_username: "ann.smith" } };
    expect((await signOn()).credentials.username).toBe("ann-smith-2");
    provider.person = { sub: "3" };
    expect((await signOn()).credentials.username).toBe("reader");
  });

  test("/app/oidc/logout ends the session at the provider, which leads back to the reader", async () => {
    const browser = newBrowser();
    await browser.walk("");
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

  const begins = {
    "by the page of the reader": (browser: SignOnBrowser) => browser.walk(""),
    "by a link": (browser: SignOnBrowser) => browser.open(),
  };

  test.each(Object.entries(begins))(
    "a code of a walk that begins %s works once, for 60 seconds, in the browser that has signed in, and nowhere else",
    async (_, begin) => {
      const browser = newBrowser();
      const arrived = await begin(browser);
      const [username = "", secret = ""] = (arrived.fragment.get("signin") ?? "").split(".");
      for (const endpoint of ["auth", "get", "app_passwords", "delete_account"]) {
        const answer = await service.call(endpoint, { username, password: secret, confirm: username });
        expect([endpoint, answer.status]).toEqual([endpoint, 401]);
      }
      // A link with someone else's code must sign nobody in to that account.
      const other = newBrowser();
      const { verifier } = await begin(other);
      for (const each of [other, newBrowser()]) {
        expect((await each.exchange({ ...arrived, verifier })).status).toBe(401);
      }
      const both = await Promise.all([browser.exchange(arrived), browser.exchange(arrived)]);
      expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
      expect((await browser.exchange(arrived)).status).toBe(401);
      const late = await begin(browser);
      service.clock.advance(61);
      expect(await browser.exchange(late)).toMatchObject({ status: 401, code: "app_password_expired" });
      expect((await browser.exchange({ ...late, fragment: new URLSearchParams({ signin: "x" }) })).status).toBe(401);
    },
  );

  test("a cookie does not work as a proof, nor a proof as a cookie", async () => {
    const [byPage, byLink] = [newBrowser(), newBrowser()];
    const [page, link] = [await byPage.walk(""), await byLink.open()];
    const proof = page.fragment.get("proof") ?? "";
    byPage.cookiesOf(publicUrl).set("reading-list-oidc", proof);
    const withoutProof = new URLSearchParams({ signin: page.fragment.get("signin") ?? "" });
    expect((await byPage.exchange({ fragment: withoutProof, verifier: "" })).status).toBe(401);
    const cookie = byLink.cookiesOf(publicUrl).get("reading-list-oidc") ?? "";
    const withCookie = new URLSearchParams({ signin: link.fragment.get("signin") ?? "", proof: cookie });
    expect((await newBrowser().exchange({ fragment: withCookie, verifier: "" })).status).toBe(401);
  });

  test("a fresh token replaces the account password for 10 minutes, and works nowhere else", async () => {
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

  test("a password that the operator sets ends fresh tokens, and no app password", async () => {
    const device = await signOn();
    const { username } = device.credentials;
    const fresh = new TestUser(service, username, await freshToken());
    await fresh.ok("app_passwords");
    const { passwordHash = "" } = (await service.operator.findUser(username)) ?? {};
    expect(await service.operator.setPasswordHash(username, passwordHash)).toBe(true);
    expect((await fresh.call("app_passwords")).status).toBe(401);
    await device.ok("auth");
  });

  test("a user with the maximum of app passwords still gets a fresh token", async () => {
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
    for (const { fragment, response } of [
      await newBrowser().walk("", { fresh: "1" }),
      await newBrowser().open("?fresh=1"),
    ]) {
      expect(String(fragment)).toBe("");
      expect(response.status).toBeGreaterThanOrEqual(400);
    }
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

    test("a user who does not agree at the provider, with a page that says so", async () => {
      provider.person = { sub: "1", refuses: true };
      const { fragment, response } = await newBrowser().walk("");
      expect([String(fragment), response.status]).toEqual(["", 401]);
      expect(await response.text()).toContain("you did not agree");
    });

    test("calls of other sites, headers that name someone, and a provider that is gone", async () => {
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

  test("is linked only by its signed-in user, never by a name or a claim", async () => {
    const ann = await service.newUser("ann");
    provider.person = { sub: "ann-at-work", claims: { preferred_username: "ann" } };
    expect((await signOn()).credentials.username).toBe("ann-2");
    provider.person = { sub: "other", claims: { preferred_username: "ann" } };
    const { password: app } = JSON.parse((await ann.ok("app_passwords", { create: "Phone" })).body);
    for (const password of [app, "wrong"]) {
      expect((await newBrowser().post("/link", { ...ann.credentials, password })).status).toBe(401);
    }
    const isLinked = async () =>
      (await (await newBrowser().post("/state", { ...ann.credentials })).json()) as { linked: boolean };

    const browser = newBrowser();
    const arrived = await browser.walk("/link", { ...ann.credentials });
    expect(await isLinked()).toEqual({ linked: false });
    // Someone who has followed the link of another person is linked to nobody.
    expect((await browser.link({ ...arrived, verifier: "guessed" })).status).toBe(401);
    expect((await browser.link({ ...arrived, fragment: new URLSearchParams({ linked: "x" }) })).status).toBe(401);
    service.clock.advance(61);
    expect((await browser.link(arrived)).status).toBe(401);
    expect(await isLinked()).toEqual({ linked: false });
    expect((await browser.link(await browser.walk("/link", { ...ann.credentials }))).status).toBe(200);
    expect(await isLinked()).toEqual({ linked: true });
    expect((await signOn()).credentials.username).toBe("ann");
    // An identity that is another user's stays that.
    provider.person = { sub: "ann-at-work" };
    const second = newBrowser();
    expect((await second.link(await second.walk("/link", { ...ann.credentials }))).status).toBe(401);
    // Another one of the same provider takes the place of the first.
    provider.person = { sub: "at home" };
    const third = newBrowser();
    expect((await third.link(await third.walk("/link", { ...ann.credentials }))).status).toBe(200);
    expect((await signOn()).credentials.username).toBe("ann");
    provider.person = { sub: "other", claims: { preferred_username: "ann" } };
    expect((await signOn()).credentials.username).toBe("ann-3");
    expect((await newBrowser().post("/unlink", { ...ann.credentials })).status).toBe(200);
    expect(await isLinked()).toEqual({ linked: false });
    provider.person = { sub: "at home", claims: { preferred_username: "ann" } };
    expect((await signOn()).credentials.username).toBe("ann-4");
  });
});

test("with closed sign-up, an identity creates a user only by an invitation", async () => {
  await start({ SIGNUP: "closed" });
  provider.person = { sub: "guest", claims: { preferred_username: "guest" } };
  expect((await newBrowser().walk("")).response.status).toBe(403);
  if (isOnDynamodb) {
    // A stage has no invitations.
    expect((await newBrowser().walk("", { invitation: "x" })).response.status).toBe(403);
    return;
  }
  const operator = new TestUser(service, "boss", "secret");
  const code = new URL(service.operatorLink ?? "").hash.slice("#code=".length);
  await operator.ok("signup", { invitation: code });
  const { url = "" } = JSON.parse((await operator.ok("operator/links", { create: "signup" })).body);
  const invitation = new URLSearchParams(new URL(url).hash.slice(1)).get("invitation") ?? "";
  const browser = newBrowser();
  const arrived = await browser.walk("", { invitation });
  expect((await browser.exchange(arrived)).answer?.username).toBe("guest");
  provider.person = { sub: "second guest" };
  expect((await newBrowser().walk("", { invitation })).response.status).toBe(403);
});

test("OIDC_ONLY: account passwords do not work and nobody can sign up; app passwords still work", async () => {
  const data = { DATA_DIR: temporaryFolder(), TABLE_NAME: "single-sign-on" };
  await start(data);
  const ann = await service.newUser("ann");
  const { password: app } = JSON.parse((await ann.ok("app_passwords", { create: "Phone" })).body);
  await start({ ...data, OIDC_ONLY: "1" });
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
    isSignupOpen: false,
    signOn: { name: "Our login", isOnly: true },
  });
  provider.person = { sub: "new", claims: { preferred_username: "newcomer" } };
  const newcomer = await signOn();
  expect(newcomer.credentials.username).toBe("newcomer");
  if (isOnDynamodb) return;
  const commands = commandsFor(service);
  await commands.ok("users", "operator", "newcomer");
  const fresh = await freshToken();
  expect((await service.call("operator/state", { username: "newcomer", password: fresh })).status).toBe(200);
});

describe("claims decide who may sign in", () => {
  const as = (sub: string, groups: unknown, more: Record<string, unknown> = {}) => {
    provider.person = { sub, claims: { preferred_username: sub, groups, ...more } };
  };
  const refused = async (path = "", fields: Record<string, string> = {}) => {
    const { fragment, response } = await newBrowser().walk(path, fields);
    return String(fragment) === "" && response.status === 401 && (await response.text()).includes("has no access here");
  };
  const codeOf = async (user: TestUser, endpoint = "auth") => (await user.call(endpoint)).headers.get("x-error-code");

  test("a stranger gets no account, and links none", async () => {
    await start({ OIDC_ALLOWED: "groups=readers" });
    as("eve", ["others", "readers2"]);
    expect(await refused()).toBe(true);
    as("eve", undefined);
    expect(await refused()).toBe(true);
    expect(await service.operator.findUser("eve")).toBeUndefined();
    const ann = await service.newUser("ann");
    expect(await refused("/link", { ...ann.credentials })).toBe(true);
    expect(await codeOf(ann)).toBeNull();
  });

  test("losing the claim suspends the account and all its sign-ins, and the claim or an administrator restores it", async () => {
    await start({ OIDC_ALLOWED: "groups=readers" });
    const ann = await service.newUser("ann");
    as("ann", ["staff", "readers"]);
    const browser = newBrowser();
    expect((await browser.link(await browser.walk("/link", { ...ann.credentials }))).status).toBe(200);
    const device = await signOn();
    const { password } = JSON.parse((await ann.ok("app_passwords", { create: "Feed", scope: "feed" })).body);
    const feed = () => fetch(`${publicUrl}/feeds/ann.${password}.atom`);
    expect((await feed()).status).toBe(200);

    as("ann", "staff");
    for (const fields of [{}, { fresh: "1" }]) expect(await refused("", fields)).toBe(true);
    for (const user of [device, ann]) expect(await codeOf(user, "get")).toBe("account_suspended");
    expect(await codeOf(ann, "app_passwords")).toBe("account_suspended");
    expect((await feed()).status).toBe(401);
    expect(await codeOf(new TestUser(service, "ann", "wrong"))).toBe("unauthorized");

    as("ann", "readers");
    await signOn();
    for (const user of [device, ann]) expect(await codeOf(user, "get")).toBeNull();
    expect((await feed()).status).toBe(200);

    as("ann", []);
    expect(await refused()).toBe(true);
    expect(await commandsFor(service).ok("users", "show", "ann")).toMatchObject({ isSuspended: true });
    const { passwordHash = "" } = (await service.operator.findUser("ann")) ?? {};
    await service.operator.setPasswordHash("ann", passwordHash);
    for (const user of [device, ann]) expect(await codeOf(user)).toBeNull();
  });

  test("a claim without its own scope is also read, and a value need not be a text", async () => {
    await start({ OIDC_ALLOWED: "department=7" });
    as("bob", [], { department: 7 });
    expect((await signOn()).credentials.username).toBe("bob");
  });

  test.skipIf(isOnDynamodb)(
    "a claim makes a user an administrator, and its loss removes only the rights that it gave",
    async () => {
      await start({ OIDC_OPERATORS: "groups=admins" });
      const isOperator = async () => {
        const { credentials } = await signOn();
        const fresh = new TestUser(service, credentials.username, await freshToken());
        return (await fresh.call("operator/state")).status === 200;
      };
      as("ann", ["admins"]);
      expect(await isOperator()).toBe(true);
      as("ann", ["staff"]);
      expect(await isOperator()).toBe(false);
      await commandsFor(service).ok("users", "operator", "ann");
      as("ann", ["admins"]);
      expect(await isOperator()).toBe(true);
      as("ann", ["staff"]);
      expect(await isOperator()).toBe(true);
      // An administrator can also give the role to a user who has it only by a claim.
      as("bob", ["admins"]);
      expect(await isOperator()).toBe(true);
      await commandsFor(service).ok("users", "operator", "bob");
      as("bob", []);
      expect(await isOperator()).toBe(true);
    },
  );
});

test.each([
  [{ OIDC_ALLOWED: "readers" }, "OIDC_ALLOWED: must be a claim and its value, such as groups=readers"],
  [{ OIDC_ISSUER: "", OIDC_ALLOWED: "groups=a" }, "OIDC_ISSUER: must be set, because OIDC_ALLOWED is"],
  [{ OIDC_ISSUER: "http://login.example.com" }, "OIDC_ISSUER: must be an https URL, or on a loopback address"],
  [{ OIDC_CLIENT_ID: "" }, "OIDC_CLIENT_ID: must be set, because OIDC_ISSUER is"],
  [{ OIDC_CLIENT_SECRET: "" }, "OIDC_CLIENT_SECRET: must be set, because OIDC_ISSUER is"],
  [{ BASE_URL: "" }, "BASE_URL: must be set, because OIDC_ISSUER is"],
  [{ OIDC_ISSUER: "", OIDC_ONLY: "1" }, "OIDC_ISSUER: must be set, because OIDC_ONLY is 1"],
])("the service does not start with %j", async (wrong: Record<string, string>, message) => {
  const env = { ...variables(), DATA_DIR: temporaryFolder(), PORT: "0", ...wrong };
  await expect(startInProcess(env)).rejects.toThrow(message);
});
