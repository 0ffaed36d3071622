// SPDX-License-Identifier: MIT

import type { ErasePermit } from "@reading-list/core/domain/clock-check.ts";
import { hashSecret, newSecret, type SignIn } from "@reading-list/core/domain/sign-in.ts";
import { addSignIn, createAppPassword } from "@reading-list/core/use-cases/accounts/sign-in-apps.ts";
import { createPasswordHasher } from "@reading-list/http/compose/password-hasher.ts";
import { newName, TestUser } from "@reading-list/testing/client.ts";
import { permitAt } from "@reading-list/testing/permit-at.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, describe, expect, test } from "vitest";

let service: TestService;
/** Passwords verified with argon2. */
let verified = 0;

beforeAll(async () => {
  const passwords = createPasswordHasher({ memoryCost: 8, timeCost: 1, parallelism: 1 });
  const verify = (hash: string | undefined, password: string) => {
    verified++;
    return passwords.verify(hash, password);
  };
  service = await startTestService({}, { passwords: { ...passwords, verify } });
});

const portsOf = ({ clock, operator }: TestService) => ({
  clock,
  signIns: operator.signIns,
  erasePermit: async (): Promise<ErasePermit | undefined> => permitAt(clock.seconds()),
});

async function callerOf({ credentials: { username } }: TestUser) {
  const user = await service.operator.users.find(username);
  if (!user) throw new Error("no such user");
  return { user, signInId: undefined };
}

const create = async (user: TestUser, name = "Phone"): Promise<{ id: string; password: string }> =>
  JSON.parse((await user.ok("app_passwords", { create: name })).body);

const listOf = (user: TestUser) => service.operator.signIns.list(user.credentials.username);

const dayOfNow = () => service.clock.seconds() - (service.clock.seconds() % 86_400);

describe("an app password", () => {
  test("has 20 characters of a-z and 2-7, and is accepted by every endpoint of a user", async () => {
    const user = await service.newUser();
    const { password } = await create(user);
    expect(password).toMatch(/^[a-z2-7]{20}$/);
    await user.ok("add", { password, url: "http://example.com/" });
    await user.ok("send", { password, read: '[{"url":"http://example.com/"}]' });
    expect((await user.ok("get", { password, state: "read" })).body).toContain("http://example.com/");
    for (const endpoint of ["stats", "auth"]) await user.ok(endpoint, { password });
  });

  test("is not stored, and costs no password verification", async () => {
    const user = await service.newUser();
    const { password } = await create(user);
    verified = 0;
    await user.ok("auth", { password });
    expect(verified).toBe(0);
    expect(JSON.stringify(await service.records())).not.toContain(password);
  });

  test("counts against the user's limit, and the user's other passwords keep working", async () => {
    const user = await service.newUser();
    const [phone, tablet] = [await create(user), await create(user, "Tablet")];
    const remaining = async (password: string) =>
      Number((await user.ok("auth", { password })).headers.get("x-limit-user-remaining"));
    const first = await remaining(phone.password);
    expect(await remaining(tablet.password)).toBe(first - 1);
    expect(await remaining(user.credentials.password)).toBe(first - 2);
  });

  test("shows the day of its last use", async () => {
    const user = await service.newUser();
    const { password } = await create(user);
    expect((await listOf(user)).map(({ name, usedAt }) => [name, usedAt])).toEqual([["Phone", 0]]);
    await user.ok("get", { password });
    expect((await listOf(user))[0]?.usedAt).toBe(dayOfNow());
    service.clock.advance(86_400);
    await user.ok("get", { password, since: service.clock.seconds() });
    expect((await listOf(user))[0]?.usedAt).toBe(dayOfNow());
  });

  test("of another user, and a guess, are 401 like a wrong password; guesses count for the lockout", async () => {
    const [user, other] = [await service.newUser(), await service.newUser()];
    const { password } = await create(other);
    expect((await user.call("auth", { password })).status).toBe(401);
    for (let guess = 2; guess <= 10; guess++) {
      expect((await user.call("auth", { password: newSecret() })).status).toBe(401);
    }
    expect((await user.call("auth")).status).toBe(403);
  });

  test("that is correct is accepted during a lockout, so that an app with an old password does not lock out the others", async () => {
    const user = await service.newUser();
    const { password } = await create(user);
    for (let guess = 1; guess <= 10; guess++) await user.call("auth", { password: newSecret() });
    expect((await user.call("auth")).status).toBe(403);
    expect((await user.call("auth", { password })).status).toBe(200);
  });

  test("cannot make another one", async () => {
    const caller = await callerOf(await service.newUser());
    await expect(createAppPassword(portsOf(service), { ...caller, signInId: "a" }, "Tablet")).rejects.toThrow(
      "an app password cannot manage the account",
    );
  });

  test("is not created for a user who was deleted meanwhile", async () => {
    const user = await service.newUser();
    const caller = await callerOf(user);
    await service.operator.beginDeletion(caller.user, service.clock.seconds());
    await expect(createAppPassword(portsOf(service), caller, "Phone")).rejects.toMatchObject({ kind: "unauthorized" });
  });

  test("may look like the account's own password", async () => {
    const user = new TestUser(service, newName(), "abcdefghijklmnopqrst");
    await user.ok("signup");
    for (let call = 1; call <= 2; call++) await user.ok("auth");
  });
});

test("a user has at most 50, even if many are created at once; expired ones that cannot be renewed make room", async () => {
  const user = await service.newUser();
  const caller = await callerOf(user);
  const expiresAt = service.clock.seconds() + 60;
  const expiring: Pick<SignIn, "name" | "secretHash" | "expiresAt"> = { name: "x", secretHash: "x", expiresAt };
  await addSignIn(portsOf(service), caller, expiring);
  const refresh = { hash: "y", expiresAt: expiresAt + 1 };
  const { id: renewable } = await addSignIn(portsOf(service), caller, { ...expiring, secretHash: "y", refresh });
  for (let made = 0; made < 47; made++) await create(user);
  const atOnce = await Promise.all([1, 2, 3].map(() => user.call("app_passwords", { create: "Phone" })));
  expect(atOnce.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
  await expect(create(user)).rejects.toThrow("you have 50 app passwords; revoke one that you do not use");
  service.clock.advance(60);
  await create(user);
  const list = await listOf(user);
  expect(list).toHaveLength(50);
  expect(list.map(({ id }) => id)).toContain(renewable);
});

test("expired ones take no room while the clock is implausible, and are not erased", async () => {
  const user = await service.newUser();
  const caller = await callerOf(user);
  const ports = { ...portsOf(service), erasePermit: async () => undefined };
  const expiresAt = service.clock.seconds() + 60;
  for (let made = 0; made < 30; made++)
    await addSignIn(ports, caller, { name: "x", secretHash: `x${made}`, ...(made < 20 && { expiresAt }) });
  service.clock.advance(60);
  for (let made = 0; made < 40; made++) await addSignIn(ports, caller, { name: "y", secretHash: `y${made}` });
  expect(await listOf(user)).toHaveLength(70);
  const another = { name: "z", secretHash: "z" };
  await expect(addSignIn(ports, caller, another)).rejects.toThrow("you have 50 app passwords");
  await expect(addSignIn(portsOf(service), caller, another)).rejects.toThrow("you have 50 app passwords");
  expect(await listOf(user)).toHaveLength(50);
});

describe("an OAuth sign-in", () => {
  test("has a secret that expires, and a refresh token that gives new ones", async () => {
    const user = await service.newUser();
    const { username } = user.credentials;
    const { signIns } = service.operator;
    const at = (seconds: number) => service.clock.seconds() + seconds;
    const [access, refresh, nextAccess] = [newSecret(), newSecret(), newSecret()];
    const { id } = await addSignIn(portsOf(service), await callerOf(user), {
      name: "Reader",
      secretHash: hashSecret(access),
      expiresAt: at(3600),
      refresh: { hash: hashSecret(refresh), expiresAt: at(86_400) },
    });
    await user.ok("auth", { password: access });
    service.clock.advance(3600);
    expect((await user.call("auth", { password: access })).status).toBe(401);

    const next = {
      secretHash: hashSecret(nextAccess),
      expiresAt: at(3600),
      refresh: { hash: hashSecret(newSecret()), expiresAt: at(86_400) },
    };
    const renew = (hash: string) => signIns.renew(username, id, hash, next, service.clock.seconds());
    expect(await renew(hashSecret(access))).toBe(false);
    expect(await renew(hashSecret(refresh))).toBe(true);
    await user.ok("auth", { password: nextAccess });
    expect(await listOf(user)).toMatchObject([{ id, name: "Reader", usedAt: dayOfNow(), ...next }]);
    service.clock.advance(86_400);
    expect(await renew(next.refresh.hash)).toBe(false);
    await signIns.remove(username, id);
    expect((await user.call("auth", { password: nextAccess })).status).toBe(401);
  });

  test("has a refresh token that two calls exchange at once: the tokens of both answers work", async () => {
    const user = await service.newUser();
    const ask = async (fields: Record<string, string>) => {
      const body = new URLSearchParams({ client_id: "", ...fields });
      const answer = await service.fetch(`${service.baseUrl}/wallabag/oauth/v2/token`, { method: "POST", body });
      return { status: answer.status, ...JSON.parse(answer.body) };
    };
    const renew = (refresh_token: string) => ask({ grant_type: "refresh_token", refresh_token });
    const isAccepted = async (token: string) =>
      (await service.fetch(`${service.baseUrl}/wallabag/api/entries?access_token=${token}`)).status === 200;
    const { refresh_token: old } = await ask({ grant_type: "password", ...user.credentials });
    const answers = await Promise.all([renew(old), renew(old)]);
    for (const { access_token: access } of answers) expect(await isAccepted(access)).toBe(true);
    for (const { refresh_token: refresh } of answers) {
      expect(await isAccepted((await renew(refresh)).access_token)).toBe(true);
    }
    expect((await renew(old)).status).toBe(400);
    expect(await listOf(user)).toEqual([]);
  });

  test.each([
    ["once more within 60 s, and used a third time it revokes the sign-in", [59, 59], [true, false]],
    ["no more after 60 s, and revokes the sign-in", [60], [false]],
  ])("has an old refresh token that works %s", async (_, uses, outcomes) => {
    const user = await service.newUser();
    const { username } = user.credentials;
    const tokens = () => {
      const [access, refresh] = [newSecret(), newSecret()];
      const expiresAt = service.clock.seconds() + 86_400;
      const secrets = { secretHash: hashSecret(access), expiresAt };
      return {
        access,
        hash: hashSecret(refresh),
        secrets: { ...secrets, refresh: { hash: hashSecret(refresh), expiresAt } },
      };
    };
    const [first, second] = [tokens(), tokens()];
    const { id } = await addSignIn(portsOf(service), await callerOf(user), { name: "Reader", ...first.secrets });
    const renew = (hash: string, { secrets }: typeof first) =>
      service.operator.signIns.renew(username, id, hash, secrets, service.clock.seconds());
    expect(await renew(first.hash, second)).toBe(true);
    const exchanged = service.clock.seconds();
    for (const [index, seconds] of uses.entries()) {
      service.clock.advance(exchanged + seconds - service.clock.seconds());
      const next = tokens();
      expect(await renew(first.hash, next)).toBe(outcomes[index]);
      expect((await user.call("auth", { password: next.access })).status).toBe(outcomes[index] ? 200 : 401);
    }
    expect(await service.operator.signIns.list(username)).toEqual([]);
    expect((await user.call("auth", { password: second.access })).status).toBe(401);
  });
});
