// SPDX-License-Identifier: MIT

import { deviceGrant, newVerifier, OAuthApp, parametersOf, postTo } from "@reading-list/testing/oauth-app.ts";
import { ReadeckDevice } from "@reading-list/testing/readeck-device.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, describe, expect, test } from "vitest";

// The attacks of RFC 9700, OAuth's best current practice.

let service: TestService;
let app: OAuthApp;
let verified = 0;

beforeAll(async () => {
  const report = ({ tally }: { tally: { passwordsVerified: number } }) => {
    verified += tally.passwordsVerified;
  };
  service = await startTestService({ PUBLIC_KEY_ADDRESS_LIMIT: "100000" }, { report });
  app = await OAuthApp.register(service, { redirectUri: "https://app.example/callback" });
});

const errorOf = ({ status, body }: { status: number; body: string }) => [status, JSON.parse(body).error];
const signInsOf = (username: string) => service.operator.signIns.list(username);

/** A user, and the code that the user's browser has brought to the app. */
async function grant(verifier = newVerifier()) {
  const user = await service.newUser();
  const { code = "" } = await app.agree(app.authorizeUrl(verifier), user.credentials);
  return { user, verifier, code };
}

describe("redirects (4.1, 4.11)", () => {
  test.each([
    ["another site", "https://evil.example/callback"],
    ["a longer path", "https://app.example/callback/../evil"],
    ["another query", "https://app.example/callback?next=https://evil.example/"],
    ["another case", "https://APP.example/callback"],
    ["its default port", "https://app.example:443/callback"],
    ["a user", "https://app.example@evil.example/callback"],
    ["script", "javascript:alert(1)"],
    ["nothing", ""],
  ])("nobody is redirected to %s instead of the registered URI, whatever else is wrong", async (_, redirect_uri) => {
    for (const more of [{}, { code_challenge: "" }, { scope: "everything" }, { response_type: "token" }]) {
      const url = app.authorizeUrl(newVerifier(), { redirect_uri, ...more });
      const user = await service.newUser();
      for (const { status, headers, body } of [
        await service.fetch(url, { redirect: "manual" }),
        await app.answerPage(url, { decision: "deny" }),
        await app.answerPage(url, { ...user.credentials, decision: "allow" }),
      ]) {
        expect([status, headers.get("location")]).toEqual([400, null]);
        expect(body).toContain("redirect_uri is not registered for this app");
      }
    }
  });

  test.each([
    [
      "a client id that is not signed by this service",
      (id: string) => `${id.slice(0, -1)}${id.endsWith("A") ? "B" : "A"}`,
    ],
    [
      "data changed in a client id",
      (id: string) => {
        const [payload = "", signature] = id.split(".");
        const data = Buffer.from(payload, "base64url")
          .toString()
          .replace("app.example/callback", "evil.example/callback");
        return `${Buffer.from(data).toString("base64url")}.${signature}`;
      },
    ],
    ["no client id", () => ""],
  ])("nobody is redirected for %s", async (_, change) => {
    const redirect_uri = "https://evil.example/callback";
    for (const uri of [app.redirectUri, redirect_uri]) {
      const url = app.authorizeUrl(newVerifier(), { client_id: change(app.clientId), redirect_uri: uri });
      const { status, headers } = await service.fetch(url, { redirect: "manual" });
      expect([status, headers.get("location")]).toEqual([400, null]);
    }
  });

  test("the id of a client does not work as the token of its registration, nor the other way round", async () => {
    const { registration_access_token: token = "", registration_client_uri: uri = "" } = app.registered;
    const signature = app.clientId.split(".")[1];
    expect(token).not.toBe(signature);
    expect((await service.fetch(uri, { headers: { authorization: `Bearer ${signature}` } })).status).toBe(401);
  });

  test("a parameter that is given twice is refused", async () => {
    const url = `${app.authorizeUrl(newVerifier())}&redirect_uri=https%3A%2F%2Fevil.example%2F`;
    expect((await service.fetch(url, { redirect: "manual" })).status).toBe(400);
  });

  test("they are 302 after the form, so that the password is not sent to the app", async () => {
    const user = await service.newUser();
    const url = app.authorizeUrl(newVerifier());
    expect((await app.answerPage(url, { ...user.credentials, decision: "allow" })).status).toBe(302);
  });
});

describe("codes (4.2 to 4.5)", () => {
  test("a code that is used twice returns nothing, and ends the sign-in of its first use", async () => {
    const { user, verifier, code } = await grant();
    const token = JSON.parse((await app.redeem(code, verifier)).body).access_token;
    const device = new ReadeckDevice(user, token);
    expect((await device.call("GET", "profile")).status).toBe(200);
    for (let again = 0; again < 2; again++)
      expect(errorOf(await app.redeem(code, verifier))).toEqual([400, "invalid_grant"]);
    expect((await device.call("GET", "profile")).status).toBe(401);
    expect(await signInsOf(user.credentials.username)).toEqual([]);
  });

  test("a code that is used twice late, and several times at once, leaves no sign-in", async () => {
    const { user, verifier, code } = await grant();
    await app.redeem(code, verifier);
    service.clock.advance(300);
    expect(errorOf(await app.redeem(code, verifier))).toEqual([400, "invalid_grant"]);
    expect(await signInsOf(user.credentials.username)).toEqual([]);

    const other = await grant();
    const answers = await Promise.all([1, 2, 3, 4].map(() => app.redeem(other.code, other.verifier)));
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    expect(await signInsOf(other.user.credentials.username)).toEqual([]);
  });

  test("a stolen code without its verifier gives nothing, and does not end the user's sign-in", async () => {
    const { user, verifier, code } = await grant();
    const steal = async () => errorOf(await app.redeem(code, newVerifier()));
    expect(await steal()).toEqual([400, "invalid_grant"]);
    expect((await app.redeem(code, verifier)).status).toBe(200);
    expect(await steal()).toEqual([400, "invalid_grant"]);
    expect(await signInsOf(user.credentials.username)).toHaveLength(1);
  });

  test("a code that an attacker puts into the session of another user is refused: its verifier is another one", async () => {
    const [attacker, victim] = [await grant(), await grant()];
    expect(errorOf(await app.redeem(attacker.code, victim.verifier))).toEqual([400, "invalid_grant"]);
  });

  test("a code of one app is refused to another one", async () => {
    const { verifier, code } = await grant();
    const { clientId: client_id } = await OAuthApp.register(service, { name: "Another app" });
    expect(errorOf(await app.redeem(code, verifier, { client_id }))).toEqual([400, "invalid_grant"]);
  });

  test("a guess of a code's secret gives nothing", async () => {
    const { verifier, code } = await grant();
    const [id = ""] = code.split(".");
    expect(errorOf(await app.redeem(`${id}.${"a".repeat(20)}`, verifier))).toEqual([400, "invalid_grant"]);
    expect((await app.redeem(code, verifier)).status).toBe(200);
  });
});

describe("PKCE (4.8)", () => {
  test.each([
    ["without a challenge", { code_challenge: "" }],
    ["without a method, which would be plain", { code_challenge_method: "" }],
    ["with the method plain", { code_challenge_method: "plain" }],
  ])("a request %s is refused, so that no attacker leaves it out", async (_, changes) => {
    const { credentials } = await service.newUser();
    const url = app.authorizeUrl(newVerifier(), changes);
    const { status, headers } = await app.answerPage(url, { ...credentials, decision: "allow" });
    expect([status, headers.get("location")]).toEqual([400, null]);
  });

  test("a code is not redeemed without its verifier, by no type of grant", async () => {
    const { code } = await grant();
    for (const fields of [
      { grant_type: "authorization_code", code },
      { grant_type: deviceGrant, device_code: code },
    ]) {
      expect((await app.token(fields)).status).toBe(400);
    }
  });

  test("the challenge is not the verifier", async () => {
    const { code } = await grant();
    const [challenge = ""] = [new URL(app.authorizeUrl(newVerifier())).searchParams.get("code_challenge")];
    expect(errorOf(await app.redeem(code, challenge ?? ""))).toEqual([400, "invalid_grant"]);
  });
});

describe("mix-up (4.4)", () => {
  test("each redirect names this server as its metadata do, also with an error", async () => {
    const { issuer, authorization_response_iss_parameter_supported: isSupported } = JSON.parse(
      (await service.fetch(`${service.baseUrl}/.well-known/oauth-authorization-server/readeck`)).body,
    );
    expect(isSupported).toBe(true);
    const { credentials } = await service.newUser();
    const url = app.authorizeUrl(newVerifier());
    for (const decision of ["allow", "deny"]) {
      const { headers } = await app.answerPage(url, { ...credentials, decision });
      expect(parametersOf(headers.get("location")).iss).toBe(issuer);
    }
  });
});

describe("the pages (4.16, and pages of other sites)", () => {
  const pages = () => [
    app.authorizeUrl(newVerifier()),
    app.authorizeUrl(newVerifier(), { client_id: "" }),
    `${service.baseUrl}/readeck/device`,
    `${service.baseUrl}/readeck/device?user_code=BBBB-BBBB`,
  ];

  test("are shown in no frame, run no script, load nothing, and send their form only to this host and the app", async () => {
    for (const url of pages()) {
      const { headers } = await service.fetch(url);
      expect(headers.get("x-frame-options")).toBe("DENY");
      expect(headers.get("referrer-policy")).toBe("same-origin");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      const policy = new Map(
        (headers.get("content-security-policy") ?? "")
          .split("; ")
          .map((each) => each.split(/ (.*)/s) as [string, string]),
      );
      expect(Object.fromEntries(policy)).toEqual({
        "default-src": "'none'",
        "style-src": expect.stringMatching(/^'sha256-[\w+/=]{44}'$/),
        "form-action": expect.stringMatching(/^'self'( https:\/\/app\.example)?$/),
        "base-uri": "'none'",
        "frame-ancestors": "'none'",
      });
    }
  });

  test.each([
    ["com.example.app:/callback", "'self' com.example.app:"],
    ["http://127.0.0.1:4567/callback", "'self' http://127.0.0.1:4567"],
    ["http://[::1]:4567/callback", "'self' http:"],
    ["https://app.example:8443/callback;x", "'self' https://app.example:8443"],
  ])("with the redirect %s have the form-action %s", async (redirectUri, sources) => {
    const other = await OAuthApp.register(service, { redirectUri });
    const { headers } = await service.fetch(other.authorizeUrl(newVerifier()));
    expect(headers.get("content-security-policy")).toContain(`form-action ${sources};`);
  });

  test.each([
    [{ origin: "https://evil.example" }],
    [{ origin: "null" }],
    [{ origin: "", "sec-fetch-site": "cross-site" }],
    [{ origin: "", "sec-fetch-site": "same-site" }],
  ])("sent by a page of another site (%o) are 403, and no password is verified", async (given) => {
    const { origin, ...others } = given as { origin: string };
    const headers: Record<string, string> = {
      "content-type": "application/x-www-form-urlencoded",
      ...others,
      ...(origin && { origin }),
    };
    const user = await service.newUser();
    const { body } = await app.requestDevice();
    verified = 0;
    for (const url of [app.authorizeUrl(newVerifier()), JSON.parse(body).verification_uri_complete]) {
      for (const fields of [
        { ...user.credentials, decision: "allow" },
        { ...user.credentials, password: "wrong", decision: "allow" },
        { ...user.credentials, decision: "deny" },
        { decision: "deny" },
      ].map((each) => new URLSearchParams(each as Record<string, string>))) {
        const answer = await service.fetch(url, { method: "POST", redirect: "manual", headers, body: String(fields) });
        expect([answer.status, answer.headers.get("location")]).toEqual([403, null]);
      }
    }
    expect(verified).toBe(0);
  });

  test("take no password in a URL", async () => {
    const { credentials } = await service.newUser();
    const url = `${app.authorizeUrl(newVerifier())}&${new URLSearchParams({ ...credentials, decision: "allow" })}`;
    expect((await service.fetch(url, { redirect: "manual" })).status).toBe(200);
    expect(await signInsOf(credentials.username)).toEqual([]);
  });
});

describe("tokens (2.2, 2.3)", () => {
  test("no password is a grant, and none is issued at the page", async () => {
    const { credentials } = await service.newUser();
    expect(errorOf(await app.token({ grant_type: "password", ...credentials }))).toEqual([
      400,
      "unsupported_grant_type",
    ]);
  });

  test("a token cannot make another sign-in, at the page or in the API", async () => {
    const user = await service.newUser();
    const token = await app.signIn(user.credentials);
    const [username = "", password = ""] = token.split(".");
    const url = app.authorizeUrl(newVerifier());
    expect((await app.answerPage(url, { username, password, decision: "allow" })).status).toBe(401);
    expect((await user.call("app_passwords", { password, create: "More" })).status).toBe(401);
    expect(await signInsOf(username)).toHaveLength(1);
  });

  test("one user's token revokes no sign-in of another user", async () => {
    const [user, other] = [await service.newUser(), await service.newUser()];
    const token = await app.signIn(user.credentials);
    await app.revoke(token.replace(user.credentials.username, other.credentials.username));
    expect(await signInsOf(user.credentials.username)).toHaveLength(1);
  });
});

test("requests that are not valid UTF-8, or too long, return errors in OAuth's form or a page", async () => {
  expect(
    (await service.fetch(`${service.baseUrl}/readeck/authorize?client_id=%ff`)).headers.get("content-type"),
  ).toContain("html");
  expect(errorOf(await postTo(service, "api/oauth/revoke", {}))).toEqual([400, "invalid_request"]);
});
