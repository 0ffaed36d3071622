// SPDX-License-Identifier: MIT

import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { completeExample } from "@reading-list/core/contract/openapi-examples.ts";
import { maxFailedLogins } from "@reading-list/core/domain/limits.ts";
import { createLinkSecret, hashLinkSecret } from "@reading-list/core/domain/operator-link.ts";
import { createPasswordHasher } from "@reading-list/http/compose/password-hasher.ts";
import { canHavePasskeys } from "@reading-list/protocols/passkeys/relying-party.ts";
import { Authenticator } from "@reading-list/testing/authenticator.ts";
import { TestUser } from "@reading-list/testing/client.ts";
import { findFreePort } from "@reading-list/testing/free-port.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, describe, expect, test } from "vitest";

let origin: string;
let service: TestService;

beforeAll(async () => {
  const port = String(await findFreePort());
  origin = `http://localhost:${port}`;
  service = await startTestService({ PORT: port, BASE_URL: origin, DATA_DIR: temporaryFolder() });
});

async function post<T = Record<string, never>>(path: string, fields: object = {}) {
  const body = new URLSearchParams(fields as Record<string, string>);
  const response = await fetch(`${service.baseUrl}/app/passkeys/${path}`, { method: "POST", body });
  const answer = (response.ok ? await response.json() : {}) as T;
  return { status: response.status, code: response.headers.get("x-error-code"), answer };
}
const ask = async () => (await post<{ challenge: string; rpId: string }>("ask")).answer;

/** Adds a passkey to a user. Returns the token that the answer has. */
async function enrol(credentials: object, authenticator: Authenticator) {
  const { answer: question } = await post<{ challenge: string }>("begin", credentials);
  const answer = authenticator.create(question);
  return post<{ password: string }>("enrol", { ...credentials, name: "Laptop", answer });
}

const signIn = (credentials: object, answer: string, more: object = {}) =>
  post<{ username: string; password: string; id: string }>("sign-in", { ...credentials, answer, ...more });

async function userWithPasskey() {
  const user = await service.newUser();
  const authenticator = new Authenticator(origin);
  const { answer } = await enrol(user.credentials, authenticator);
  return { user, authenticator, credentials: user.credentials, token: answer.password };
}

describe("passkeys", () => {
  test("with one, the account's password without it is wrong everywhere, and app passwords keep working", async () => {
    const user = await service.newUser();
    const { answer: app } = await post<{ password: string }>("sign-in", user.credentials);
    expect((await user.call("auth")).status).toBe(200);
    const { status, answer } = await enrol(user.credentials, new Authenticator(origin));
    expect([status, answer.password]).toEqual([200, expect.stringMatching(/^[a-z2-7]{20}$/)]);
    const { username } = user.credentials;
    for (const endpoint of endpoints) {
      if (endpoint.caller !== "user") continue;
      const refused = await service.call(endpoint.name, completeExample(endpoint, user.credentials));
      // So that this does not lock out the tenth attempt.
      for await (const _ of service.operator.deleteLoginAttempts(username));
      const { status, headers } = refused;
      expect([endpoint.name, status, headers.get("x-error-code")]).toEqual([endpoint.name, 401, "unauthorized"]);
    }
    expect((await post("begin", user.credentials)).status).toBe(401);
    const oauth = { grant_type: "password", client_id: "x", client_secret: "y", ...user.credentials };
    const token = await fetch(`${service.baseUrl}/wallabag/oauth/v2/token`, {
      method: "POST",
      body: new URLSearchParams(oauth),
    });
    expect(token.status).toBeGreaterThanOrEqual(400);
    expect((await service.call("auth", { username, password: app.password })).status).toBe(200);
  });

  test("password and passkey give a browser its sign-in, and a token instead of the password", async () => {
    const { credentials, authenticator } = await userWithPasskey();
    const { username } = credentials;
    const { answer } = await signIn(credentials, authenticator.sign(await ask()), { seconds: "60" });
    const device = new TestUser(service, username, answer.password);
    expect((await device.call("get")).status).toBe(200);
    const fresh = await signIn(credentials, authenticator.sign(await ask()), { fresh: "1" });
    const owner = new TestUser(service, username, fresh.answer.password);
    expect((await owner.call("app_passwords")).status).toBe(200);
    expect((await owner.call("get")).headers.get("x-error-code")).toBe("out_of_scope");
    // It makes no further one, and an app password none at all.
    expect((await post("sign-in", { ...owner.credentials, fresh: "1" })).code).toBe("out_of_scope");
    expect((await post("sign-in", { ...device.credentials, fresh: "1" })).code).toBe("app_password");
    service.clock.advance(601);
    expect((await owner.call("app_passwords")).status).toBe(401);
  });

  test("refuses an answer that is another passkey's, another site's, late, used, counted lower, or none", async () => {
    const { user, credentials, authenticator } = await userWithPasskey();
    const another = await userWithPasskey();
    const used = authenticator.sign(await ask());
    expect((await signIn(credentials, used)).status).toBe(200);
    const late = authenticator.sign(await ask());
    service.clock.advance(301);
    const copy = async () => {
      authenticator.counter = 1;
      return authenticator.sign(await ask());
    };
    const wrong: Record<string, string> = {
      another: another.authenticator.sign(await ask()),
      site: authenticator.sign(await ask(), "http://localhost:1"),
      challenge: authenticator.sign({ challenge: "AAAA", rpId: "localhost" }),
      rpId: authenticator.sign({ ...(await ask()), rpId: "example.com" }),
      late,
      used,
      copy: await copy(),
      "": "",
      text: "x",
      empty: "{}",
      shape: '{"id":{},"response":[]}',
    };
    for (const [reason, answer] of Object.entries(wrong)) {
      const { status, code } = await signIn(credentials, answer);
      expect([reason, status, code]).toEqual([reason, 401, "unauthorized"]);
      for await (const _ of service.operator.deleteLoginAttempts(user.credentials.username));
    }
    const uncounted = new Authenticator(origin);
    uncounted.counts = false;
    authenticator.counter = 100;
    const fresh = await signIn(credentials, authenticator.sign(await ask()), { fresh: "1" });
    await enrol({ ...credentials, password: fresh.answer.password }, uncounted);
    const answer = uncounted.sign(await ask());
    expect((await signIn(credentials, answer)).status).toBe(200);
    expect((await signIn(credentials, answer)).status).toBe(401);
    const wrongPassword = { ...credentials, password: "wrong" };
    expect((await signIn(wrongPassword, authenticator.sign(await ask()))).status).toBe(401);
    expect((await signIn(credentials, authenticator.sign(await ask()))).status).toBe(200);
  });

  test("the right password without a passkey is counted like a wrong one, and locks out", async () => {
    const { credentials, authenticator } = await userWithPasskey();
    const codes = [];
    for (let attempt = 0; attempt <= maxFailedLogins; attempt++) codes.push((await post("sign-in", credentials)).code);
    expect(codes.slice(0, -1)).toEqual(Array(maxFailedLogins).fill("unauthorized"));
    expect(codes.at(-1)).toBe("locked_out");
    expect((await signIn(credentials, authenticator.sign(await ask()))).code).toBe("locked_out");
  });

  test("is added and removed with the password or a fresh token, never by an app password", async () => {
    const { user, authenticator, token } = await userWithPasskey();
    const { username } = user.credentials;
    const owner = { username, password: token };
    const { answer } = await signIn(user.credentials, authenticator.sign(await ask()));
    for (const path of ["list", "begin", "enrol", "remove"]) {
      const fields = { username, password: answer.password, name: "x", answer: "{}", id: authenticator.id };
      expect([path, (await post(path, fields)).code]).toEqual([path, "app_password"]);
    }
    const second = new Authenticator(origin);
    expect((await enrol(owner, second)).status).toBe(200);
    expect((await enrol(owner, second)).status).toBe(400);
    const { answer: listed } = await post<{ list: { id: string }[] }>("list", owner);
    expect(listed.list.map(({ id }) => id).sort()).toEqual([authenticator.id, second.id].sort());
    await post("remove", { ...owner, id: authenticator.id });
    expect((await user.call("auth")).status).toBe(401);
    await post("remove", { ...owner, id: second.id });
    expect((await user.call("auth")).status).toBe(200);
  });

  test("refuses a new passkey whose question was another user's, was answered, or with a statement of a maker", async () => {
    const [ann, bob] = [await service.newUser(), await service.newUser()];
    const { answer: question } = await post<{ challenge: string }>("begin", ann.credentials);
    const authenticator = new Authenticator(origin);
    const add = (credentials: object, answer: string) => post("enrol", { ...credentials, name: "x", answer });
    expect((await add(bob.credentials, authenticator.create(question))).status).toBe(400);
    const made = new Authenticator(origin);
    made.format = "packed";
    const { answer: again } = await post<{ challenge: string }>("begin", ann.credentials);
    expect((await add(ann.credentials, made.create(again))).status).toBe(400);
    expect((await add(ann.credentials, authenticator.create(again))).status).toBe(200);
    const { answer: third } = await post<{ challenge: string }>("begin", bob.credentials);
    expect((await add(bob.credentials, new Authenticator(origin).create(third))).status).toBe(200);
    expect((await add(bob.credentials, new Authenticator(origin).create(third))).status).toBe(401);
  });

  const hashOf = (password: string) => createPasswordHasher().hash(password);

  test.each([
    ["users reset-password", (username: string, hash: string) => service.operator.setPasswordHash(username, hash)],
    [
      "the operator's one-time link",
      async (username: string, passwordHash: string) => {
        const { administration } = service.operator;
        // A database that several machines share has no administrators.
        if (!administration) return service.operator.setPasswordHash(username, passwordHash);
        const now = service.clock.seconds();
        const secretHash = hashLinkSecret(createLinkSecret());
        const link = { id: username, secretHash, username, createdAt: now, expiresAt: now + 60 };
        await administration.addLink(link);
        await administration.useLink({ secretHash, username, passwordHash, now });
      },
    ],
  ])("%s ends passkeys and fresh tokens", async (_, reset) => {
    const { user, token } = await userWithPasskey();
    const { username } = user.credentials;
    const owner = new TestUser(service, username, token);
    expect((await owner.call("app_passwords")).status).toBe(200);
    await reset(username, await hashOf("new password"));
    expect((await owner.call("app_passwords")).status).toBe(401);
    expect((await service.call("auth", { username, password: "new password" })).status).toBe(200);
  });

  test("only a service with a name and a secure address has them, and one without passwords has none", async () => {
    expect(["https://list.example.com", "http://localhost:3000", "http://list.localhost"].map(canHavePasskeys)).toEqual(
      [true, true, true],
    );
    expect(["http://list.example.com", "https://192.0.2.1", "https://[2001:db8::1]"].map(canHavePasskeys)).toEqual([
      false,
      false,
      false,
    ]);
    const settings = await (await fetch(`${service.baseUrl}/app/config.json`)).json();
    expect(settings).toMatchObject({ hasPasskeys: true });
  });
});
