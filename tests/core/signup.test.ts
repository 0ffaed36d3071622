// SPDX-License-Identifier: MIT

import { form, newName } from "@reading-list/testing/client.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, describe, expect, inject, test } from "vitest";

describe("signup with SIGNUP=closed", () => {
  let service: TestService;
  const parameters = () => ({ username: newName(), password: "correct horse" });

  beforeAll(async () => {
    service = await startTestService({ SIGNUP: "closed", KEY_LIMIT: "5" });
  });

  test("is 403, creates no user, and is not counted", async () => {
    const credentials = parameters();
    const answer = await service.call("signup", credentials);
    expect(answer.status).toBe(403);
    expect(answer.headers.get("x-error")).toBe("sign-up is closed; ask the administrator for an account");
    expect(answer.headers.get("retry-after")).toMatch(/^\d+$/);
    expect(answer.headers.get("x-limit-key-remaining")).toBe("5");
    expect((await service.call("auth", credentials)).status).toBe(401);
    expect((await service.call("signup", credentials)).headers.get("x-limit-key-remaining")).toBe("4");
  });

  test("is still 400 for invalid syntax and 401 for an unknown key", async () => {
    expect((await service.call("signup", { ...parameters(), username: "UPPER" })).status).toBe(400);
    expect((await service.call("signup", { ...parameters(), apikey: "nobody's key" })).status).toBe(401);
  });
});

describe("new accounts of one address in an hour", () => {
  const [near, far] = ["203.0.113.1", "2001:db8:1:2::3"];
  const signUp = (service: TestService, address: string, fields: Record<string, string> = {}) =>
    service.fetch(service.urlOf("signup"), {
      method: "POST",
      headers: { "x-forwarded-for": address },
      body: form({ apikey: service.apiKey, username: newName(), password: "secret", ...fields }),
    });

  test("are limited by a setting: 403 with the seconds to wait; other addresses, and the machine itself, are not affected", async () => {
    const service = await startTestService({ SIGNUP_ADDRESS_LIMIT: "2", TRUST_PROXY: "127.0.0.1" });
    const username = newName();
    expect((await signUp(service, near, { username })).status).toBe(200);
    // A name that is taken makes no account.
    for (let again = 0; again < 3; again++) expect((await signUp(service, near, { username })).status).toBe(401);
    expect((await signUp(service, near)).status).toBe(200);
    const refused = await signUp(service, near);
    expect([refused.status, refused.headers.get("x-error-code")]).toEqual([403, "address_limited"]);
    expect(refused.headers.get("x-error")).toContain("your address has created 2 accounts in this hour");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await signUp(service, near, { username })).status).toBe(401);
    expect((await signUp(service, far)).status).toBe(200);
    // The rest of the address is the subscriber's own.
    expect((await signUp(service, "2001:db8:1:2:ffff::1")).status).toBe(200);
    expect((await signUp(service, far)).status).toBe(403);
    for (const own of ["127.0.0.1", "::1"])
      for (let account = 0; account < 4; account++) expect((await signUp(service, own)).status).toBe(200);
    service.clock.advance(3600);
    expect((await signUp(service, near)).status).toBe(200);
  });

  test.skipIf(inject("isOnDynamodb"))("do not include those by an operator's code or invitation", async () => {
    const service = await startTestService({ SIGNUP_ADDRESS_LIMIT: "1", TRUST_PROXY: "127.0.0.1" });
    const { hash } = new URL(service.operatorLink ?? "");
    const invitation = new URLSearchParams(hash.slice(1)).get("code") ?? "";
    expect((await signUp(service, near)).status).toBe(200);
    expect((await signUp(service, near)).status).toBe(403);
    expect((await signUp(service, near, { invitation })).status).toBe(200);
  });
});
