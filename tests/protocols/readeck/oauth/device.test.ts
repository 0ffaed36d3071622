// SPDX-License-Identifier: MIT

import { deviceGrant, newVerifier, OAuthApp } from "@reading-list/testing/oauth-app.ts";
import { ReadeckDevice } from "@reading-list/testing/readeck-device.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeEach, describe, expect, test } from "vitest";

let service: TestService;
let app: OAuthApp;

/** A service for each test: wrong codes and requests for codes count for the address of all tests. */
beforeEach(async () => {
  service = await startTestService();
  app = await OAuthApp.register(service);
});

const begin = async (scope = "bookmarks:read bookmarks:write") => JSON.parse((await app.requestDevice({ scope })).body);
const errorOf = ({ status, body }: { status: number; body: string }) => [status, JSON.parse(body).error];
const codePage = (code: string) => `${service.baseUrl}/readeck/device?user_code=${code}`;

describe("a device", () => {
  test("gets codes and the page to name to its user", async () => {
    const { status, body } = await app.requestDevice();
    expect(status).toBe(200);
    const address = `${service.baseUrl}/readeck`;
    expect(JSON.parse(body)).toEqual({
      device_code: expect.any(String),
      user_code: expect.stringMatching(/^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/),
      verification_uri: `${address}/device`,
      verification_uri_complete: `${address}/device?user_code=${JSON.parse(body).user_code}`,
      expires_in: 600,
      interval: 5,
    });
  });

  test("waits, and gets a token after its user has agreed; the sign-in has its name", async () => {
    const user = await service.newUser();
    const { device_code, verification_uri_complete: url } = await begin();
    expect(errorOf(await app.poll(device_code))).toEqual([400, "authorization_pending"]);
    service.clock.advance(5);
    expect((await app.answerPage(url, { ...user.credentials, decision: "allow" })).body).toContain("is signed in");
    const { status, body } = await app.poll(device_code);
    expect(status).toBe(200);
    const device = new ReadeckDevice(user, JSON.parse(body).access_token);
    expect((await device.call("POST", "bookmarks", { url: "https://example.com/" })).status).toBe(202);
    expect(await service.operator.signIns.list(user.credentials.username)).toMatchObject([{ name: "Example app" }]);
  });

  test("learns that its user has refused", async () => {
    const { device_code, verification_uri_complete: url } = await begin();
    expect((await app.answerPage(url, { decision: "deny" })).body).toContain("You denied access");
    expect(errorOf(await app.poll(device_code))).toEqual([400, "access_denied"]);
  });

  test("learns that its code has expired after 10 minutes, whether its user has agreed or not", async () => {
    const user = await service.newUser();
    const [unanswered, granted] = [await begin(), await begin()];
    await app.answerPage(granted.verification_uri_complete, { ...user.credentials, decision: "allow" });
    service.clock.advance(599);
    expect(errorOf(await app.poll(unanswered.device_code))).toEqual([400, "authorization_pending"]);
    service.clock.advance(1);
    for (const { device_code } of [unanswered, granted])
      expect(errorOf(await app.poll(device_code))).toEqual([400, "expired_token"]);
    expect((await app.answerPage(unanswered.verification_uri_complete, {})).status).toBe(404);
  });

  test("that polls too often waits 5 s longer between two polls", async () => {
    const { device_code } = await begin();
    const poll = async (seconds: number) => {
      service.clock.advance(seconds);
      return errorOf(await app.poll(device_code))[1];
    };
    expect(await poll(0)).toBe("authorization_pending");
    expect(await poll(4)).toBe("slow_down");
    expect(await poll(9)).toBe("slow_down");
    expect(await poll(15)).toBe("authorization_pending");
  });

  test("that redeems its code again loses its token", async () => {
    const user = await service.newUser();
    const { device_code, verification_uri_complete: url } = await begin();
    await app.answerPage(url, { ...user.credentials, decision: "allow" });
    const token = JSON.parse((await app.poll(device_code)).body).access_token;
    expect(errorOf(await app.poll(device_code))).toEqual([400, "invalid_grant"]);
    expect((await new ReadeckDevice(user, token).call("GET", "profile")).status).toBe(401);
  });

  test.each([
    ["an unknown client", { client_id: "abc" }, "invalid_client"],
    ["an unknown scope", { scope: "everything" }, "invalid_scope"],
  ])("that asks with %s is 400", async (_, fields, error) => {
    expect(errorOf(await app.requestDevice(fields))).toEqual([400, error]);
  });

  test("cannot redeem its code as an authorization code, nor that as a device code", async () => {
    const user = await service.newUser();
    const { device_code, verification_uri_complete: url } = await begin();
    await app.answerPage(url, { ...user.credentials, decision: "allow" });
    const verifier = newVerifier();
    expect(errorOf(await app.redeem(device_code, verifier))).toEqual([400, "invalid_grant"]);
    const { code = "" } = await app.agree(app.authorizeUrl(verifier), user.credentials);
    // Without a verifier, which a device does not have.
    expect(errorOf(await app.token({ grant_type: deviceGrant, device_code: code }))).toEqual([400, "invalid_grant"]);
    const { clientId } = await OAuthApp.register(service, { name: "Another app" });
    const fields = { grant_type: deviceGrant, device_code, client_id: clientId };
    expect(errorOf(await app.token(fields))).toEqual([400, "invalid_grant"]);
    expect((await app.poll(device_code)).status).toBe(200);
  });
});

describe("the page of devices", () => {
  test("asks for the code, and shows the app of one as a person types it", async () => {
    const { user_code: code } = await begin("bookmarks:read");
    const page = await service.fetch(codePage(code));
    expect([page.status, page.body]).toEqual([200, expect.stringContaining(`name="user_code" value="${code}"`)]);
    expect(page.body).not.toContain("Example app");
    const typed = code.replace("-", "+").toLowerCase();
    const { status, body } = await app.answerPage(`${service.baseUrl}/readeck/device`, { user_code: typed });
    expect(status).toBe(200);
    for (const text of ["“Example app”", "Read your list", code]) expect(body).toContain(text);
  });

  test("accepts only the account's password, and a wrong one leaves the device waiting", async () => {
    const user = await service.newUser();
    const { username } = user.credentials;
    const { device_code, verification_uri_complete: url } = await begin();
    const { password } = JSON.parse((await user.ok("app_passwords", { create: "Phone" })).body);
    for (const wrong of ["wrong", password])
      expect((await app.answerPage(url, { username, password: wrong, decision: "allow" })).status).toBe(401);
    expect(errorOf(await app.poll(device_code))).toEqual([400, "authorization_pending"]);
  });

  test("after 10 wrong codes from an address is 429 there for 15 minutes", async () => {
    const { user_code: code } = await begin();
    for (const wrong of ["BBBB-BBBB", "BBBB-BBBC", "x", "BBBB-BBBBB", "12", "-", "a", "b", "c", "d"]) {
      expect((await app.answerPage(codePage(wrong), {})).status).toBe(404);
    }
    for (const answer of [
      await app.answerPage(codePage(code), {}),
      await app.answerPage(codePage(code), { decision: "deny" }),
    ]) {
      expect(answer.status).toBe(429);
      expect(answer.headers.get("retry-after")).toBe("900");
    }
    service.clock.advance(900);
    expect((await app.answerPage(codePage((await begin()).user_code), {})).status).toBe(200);
  });

  test("does not count right codes", async () => {
    const { user_code: code } = await begin();
    for (let n = 0; n < 12; n++) expect((await app.answerPage(codePage(code), {})).status).toBe(200);
  });

  test("is not locked by another site, whose pages make a visitor's browser send wrong codes", async () => {
    const { user_code: code } = await begin();
    for (let n = 0; n < 12; n++) {
      await service.fetch(codePage("BBBB-BBBB"));
      for (const origin of ["https://evil.example", "null"])
        expect((await app.answerPage(codePage("BBBB-BBBB"), {}, { origin })).status).toBe(403);
    }
    expect((await app.answerPage(codePage(code), {})).status).toBe(200);
  });
});

test("an address gets 60 codes in an hour", async () => {
  for (let n = 0; n < 60; n++) expect((await app.requestDevice()).status).toBe(200);
  const { status, body, headers } = await app.requestDevice();
  expect([status, JSON.parse(body).error]).toEqual([429, "temporarily_unavailable"]);
  service.clock.advance(Number(headers.get("retry-after")));
  expect((await app.requestDevice()).status).toBe(200);
});
