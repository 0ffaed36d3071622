// SPDX-License-Identifier: MIT

import { readFile, rm } from "node:fs/promises";
import path from "node:path";
import { operatorEndpoints } from "@reading-list/core/contract/operator.ts";
import { endpointsOfOperators } from "@reading-list/core/use-cases/operator/endpoints.ts";
import { Database } from "@reading-list/store-sqlite/database.ts";
import { newName, TestUser } from "@reading-list/testing/client.ts";
import { commandsFor, runCommand } from "@reading-list/testing/command-line.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import {
  startDynamodbService,
  startInProcess,
  startTestService,
  type TestService,
} from "@reading-list/testing/test-service.ts";
import { beforeAll, describe, expect, inject, test } from "vitest";

const day = 86_400;

let service: TestService;
let operator: TestUser;

beforeAll(async () => {
  service = await startTestService({ SIGNUP: "open", BASE_URL: "https://list.example.com" });
  operator = await newOperator(service);
});

async function newOperator(of: TestService): Promise<TestUser> {
  const user = await of.newUser();
  await of.operator.administration?.setOperator(user.credentials.username, true);
  return user;
}

type Fields = Record<string, string> & { list: Record<string, Record<string, string>> };
const ask = async (endpoint: string, parameters = {}) =>
  JSON.parse((await operator.ok(`operator/${endpoint}`, parameters)).body) as Fields;

/** The secret in the fragment of a link. */
const secretOf = (url = "") => new URLSearchParams(new URL(url).hash.slice(1));

async function createLink(parameters: Record<string, string>): Promise<{ id: string; secret: string }> {
  const { id = "", url } = await ask("links", parameters);
  const fragment = secretOf(url);
  return { id, secret: fragment.get("invitation") ?? fragment.get("reset") ?? "" };
}

/** A change that an operator could make by each endpoint. */
const changes: Record<(typeof operatorEndpoints)[number]["name"], Record<string, string>> = {
  "operator/users": { delete: "someone", confirm: "someone" },
  "operator/links": { create: "signup" },
  "operator/keys": { create: "Mine" },
  "operator/maintenance": { begin: "Closed" },
  "operator/backups": { write: "1" },
  "operator/state": {},
  "operator/checks": { run: "1" },
  "operator/shares": { revoke: "aaaaaaaaaa", user: "someone" },
  "operator/mail": { to: "someone@example.com" },
};

test("each contract of an operator's endpoint has its work", () => {
  expect(endpointsOfOperators.map(({ contract }) => contract.name)).toEqual(operatorEndpoints.map(({ name }) => name));
});

describe.each(operatorEndpoints.map((contract) => [contract.name, contract] as const))("%s", (name, contract) => {
  const parameters = contract.example.parameters;
  const callAs = (user: TestUser, change = {}) => user.call(name, { ...parameters, ...change });

  test("answers an operator with the fields of its contract", async () => {
    const { status, body } = await callAs(operator);
    expect(status, body).toBe(200);
    const answer = contract.answer.fields.strict().safeParse(JSON.parse(body));
    expect(answer.error?.issues).toBeUndefined();
  });

  test("names the parameter of a mistake", async () => {
    const { change, error } = contract.example.mistake;
    const answer = await callAs(operator, change);
    expect([answer.status, answer.headers.get("x-error")]).toEqual([400, `${name}: ${error}`]);
  });

  test("is only for administrators, and does nothing for others", async () => {
    const other = await newOperator(service);
    const { username } = other.credentials;
    const { password } = JSON.parse((await other.ok("app_passwords", { create: "Phone" })).body);
    const user = await service.newUser();
    const state = async () => {
      const { listApiKeys, findMaintenance, administration } = service.operator;
      const links = await administration?.listLinks(0);
      const users = await administration?.listUsers({ skip: 0, count: 1, search: "" });
      return JSON.stringify([await listApiKeys(), await findMaintenance(), links, users?.total]);
    };
    const before = await state();
    for (const [caller, status, code] of [
      [user, 403, "not_operator"],
      [new TestUser(service, username, password), 401, "app_password"],
      [new TestUser(service, username, "wrong"), 401, "unauthorized"],
      [new TestUser(service, newName(), "wrong"), 401, "unauthorized"],
    ] as const) {
      for (const change of [{}, changes[name]]) {
        const answer = await callAs(caller, change);
        expect([answer.status, answer.headers.get("x-error-code")]).toEqual([status, code]);
      }
    }
    const byGet = await fetch(`${service.urlOf(name)}?${service.formOf({ ...operator.credentials })}`);
    expect(byGet.status).toBe(404);
    expect(await state()).toBe(before);
  });

  test("does not exist with DynamoDB", async () => {
    if (!inject("dynamodbEndpoint")) return;
    const deployed = await startDynamodbService();
    const user = await deployed.newUser();
    expect((await user.call(name, parameters)).status).toBe(404);
  });
});

describe("shares", () => {
  test("of all users are listed without their addresses, the newest first, and ended", async () => {
    const sharing = await startTestService({ SHARING: "on" });
    const administrator = await newOperator(sharing);
    const [ann, bob] = [await sharing.newUser("ann"), await sharing.newUser("bob")];
    const share = async (user: TestUser, tag: string) =>
      JSON.parse((await user.ok("share", { create: JSON.stringify({ tag }) })).body) as { id: string; address: string };
    const older = await share(ann, "sea");
    sharing.clock.advance(1);
    const newer = await share(bob, "tea");
    const list = async () => JSON.parse((await administrator.ok("operator/shares")).body).list;
    expect(Object.values(await list())).toMatchObject([
      { id: newer.id, username: "bob", tag: "tea", url: "", expires: "0" },
      { id: older.id, username: "ann", tag: "sea", url: "", expires: "0" },
    ]);
    expect(JSON.stringify(await list())).not.toContain(newer.address.split("/s/")[1]);
    const wrong = await administrator.call("operator/shares", { revoke: newer.id, user: "ann" });
    expect(wrong.headers.get("x-error")).toBe("operator/shares: revoke must be the id of a listed share of user");
    await administrator.ok("operator/shares", { revoke: newer.id, user: "bob" });
    expect(Object.keys(await list())).toEqual([older.id]);
    expect((await fetch(newer.address)).status).toBe(404);
  });
});

describe("users", () => {
  test("are listed by name, in pages", async () => {
    const names = ["aa", "ab", "ac"].map((name) => `${name}-${newName().slice(0, 8)}`);
    for (const name of names) await service.newUser(name);
    const { list, total } = await ask("users", { count: "2", page: "1" });
    expect(Object.keys(list)).toEqual(names.slice(0, 2));
    const second = await ask("users", { count: "2", page: "2" });
    expect(Object.keys(second.list)[0]).toBe(names[2]);
    expect(Number(total)).toBeGreaterThan(3);
    const found = await ask("users", { search: names[1]?.slice(1) ?? "" });
    expect([found.total, Object.keys(found.list)]).toEqual(["1", [names[1]]]);
    expect(await ask("users", { search: "%" })).toMatchObject({ total: "0", list: {} });
    expect((await ask("users")).list[operator.credentials.username]).toMatchObject({ operator: "1", state: "active" });
  });

  test("are deleted with their lists, except the administrator who makes the call", async () => {
    const user = await service.newUser();
    const { username } = user.credentials;
    await user.add("https://example.com/");
    await operator.ok("operator/users", { delete: username, confirm: username });
    expect((await user.call("auth")).status).toBe(401);
    expect(await service.operator.findUser(username)).toBeUndefined();
    for (const [name, message] of [
      [username, "delete must be the name of a user"],
      [operator.credentials.username, "delete must not be yourself; use delete_account"],
    ]) {
      const answer = await operator.call("operator/users", { delete: name ?? "", confirm: name ?? "" });
      expect(answer.headers.get("x-error")).toBe(`operator/users: ${message}`);
    }
  });
});

describe("links", () => {
  const register = (username: string, invitation: string, password = "secret") =>
    service.call("signup", { username, password, invitation });

  test("an invitation registers one person, once", async () => {
    const { id, secret } = await createLink({ create: "signup" });
    expect((await ask("links")).list[id]).toMatchObject({ kind: "signup", username: "" });
    const name = newName();
    const taken = await register(operator.credentials.username, secret);
    expect(taken.headers.get("x-error-code")).toBe("username_taken");
    expect((await register(name, secret)).status).toBe(200);
    const second = await register(newName(), secret);
    expect([second.status, second.headers.get("x-error-code")]).toEqual([401, "link_expired"]);
    expect((await ask("links")).list[id]).toBeUndefined();
    expect((await operator.call("operator/users")).body).toContain(name);
  });

  test("of two people at once one is registered", async () => {
    const { secret } = await createLink({ create: "signup" });
    const answers = await Promise.all([1, 2, 3, 4].map(() => register(newName(), secret)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
  });

  test("a link for a forgotten password replaces it only for its user, and ends a lockout", async () => {
    const user = await service.newUser();
    const { username } = user.credentials;
    const { password: app } = JSON.parse((await user.ok("app_passwords", { create: "Phone" })).body);
    for (let i = 0; i < 10; i++) await service.call("auth", { username, password: `wrong ${i}` });
    expect((await user.call("auth")).headers.get("x-error-code")).toBe("locked_out");
    const { secret } = await createLink({ create: "password", user: username });
    expect((await register(operator.credentials.username, secret)).status).toBe(401);
    expect((await register(newName(), secret)).status).toBe(401);
    expect((await register(username, secret, "another")).status).toBe(200);
    expect((await service.call("auth", { username, password: "another" })).status).toBe(200);
    expect((await user.call("auth")).status).toBe(401);
    expect((await service.call("get", { username, password: app })).status).toBe(200);
  });

  test("expires, can be revoked, and goes with its user", async () => {
    const short = await createLink({ create: "signup", days: "1" });
    const revoked = await createLink({ create: "signup" });
    await operator.ok("operator/links", { revoke: revoked.id });
    const user = await service.newUser();
    const { username } = user.credentials;
    const forgotten = await createLink({ create: "password", user: username });
    await user.ok("delete_account", { confirm: username });
    await service.newUser(username);
    service.clock.advance(day);
    for (const { secret } of [short, revoked]) expect((await register(newName(), secret)).status).toBe(401);
    expect((await register(username, forgotten.secret)).status).toBe(401);
    const ids = Object.keys((await ask("links")).list);
    for (const { id } of [short, revoked, forgotten]) expect(ids).not.toContain(id);
  });

  test("are stored only as hashes, and begin with BASE_URL whatever host was called", async () => {
    const { url = "" } = await ask("links", { create: "signup" });
    expect(url).toMatch(/^https:\/\/list\.example\.com\/app\/#invitation=[\w-]{22}$/);
    expect(JSON.stringify(await service.records())).not.toContain(secretOf(url).get("invitation"));
    const plain = await startTestService();
    const other = await newOperator(plain);
    const answer = await other.call("operator/links", { create: "signup" });
    expect(answer.headers.get("x-error")).toBe("operator/links: create needs the setting BASE_URL");
    const unknown = await operator.call("operator/links", { create: "password", user: newName() });
    expect(unknown.headers.get("x-error")).toBe("operator/links: user must be the name of a user");
  });
});

test("links of the command line register a person, and replace a forgotten password", async () => {
  const { run, env } = commandsFor(service);
  const linkOf = async (...args: string[]) => {
    const { code, err, json } = await runCommand(["--json", "users", ...args], {
      ...env,
      BASE_URL: "https://list.example.com",
    });
    expect(code, err).toBe(0);
    return new URLSearchParams(new URL(String(json().url)).hash.slice(1));
  };
  const invitation = (await linkOf("invite", "--days", "2")).get("invitation") ?? "";
  const username = newName();
  const credentials = { username, password: "opensesame-9" };
  expect((await service.call("signup", { ...credentials, invitation })).status).toBe(200);
  expect((await linkOf("link", username)).get("user")).toBe(username);
  expect((await run("users", "link", newName())).err).toContain("set BASE_URL");
  const faults = { BASE_URL: "https://list.example.com", ...env };
  expect((await runCommand(["users", "link", newName()], faults)).code).toBe(1);
  expect((await runCommand(["users", "invite", "--days", "31"], faults)).code).toBe(2);
});

test("keys are created, disabled and enabled", async () => {
  const { id = "", key = "" } = await ask("keys", { create: "E-reader" });
  const call = () => service.call("auth", { ...operator.credentials, apikey: key });
  expect((await call()).status).toBe(200);
  expect((await ask("keys")).list[id]).toMatchObject({ name: "E-reader", state: "enabled", calls: "1" });
  await operator.ok("operator/keys", { disable: id });
  expect((await call()).headers.get("x-error-code")).toBe("key_disabled");
  await operator.ok("operator/keys", { enable: id });
  expect((await call()).status).toBe(200);
  const own = await operator.call("operator/keys", { disable: id, apikey: key });
  expect(own.headers.get("x-error")).toBe("operator/keys: disable must not be the application that makes this call");
  const again = await operator.call("operator/keys", { create: "E-reader" });
  expect(again.status).toBe(400);
  for (const parameter of ["disable", "enable"]) {
    const answer = await operator.call("operator/keys", { [parameter]: "none" });
    expect(answer.headers.get("x-error")).toBe(`operator/keys: ${parameter} must be the id of an application`);
  }
});

test("maintenance ends by the call that began it, although all others are refused", async () => {
  expect(await ask("maintenance", { begin: "Back at noon" })).toMatchObject({ maintenance: "1", text: "Back at noon" });
  const refused = await operator.call("get");
  expect([refused.status, refused.headers.get("x-error")]).toEqual([503, "Back at noon"]);
  expect(await ask("maintenance", { end: "1" })).toMatchObject({ maintenance: "0", text: "" });
  expect((await operator.call("get")).status).toBe(200);
});

test("backups are listed and written", async () => {
  expect(await ask("backups")).toMatchObject({ configured: "0", list: {} });
  expect((await operator.call("operator/backups", { write: "1" })).status).toBe(400);
  const BACKUP_TO = temporaryFolder();
  const BACKUP_RECIPIENT = "age1kxqxwch3cvcm0v2tkcyj9yqza9yt7gnxun2ssc08wqqgsq4m99tqnxlmfx";
  const other = await startTestService({ BACKUP_TO, BACKUP_RECIPIENT });
  const user = await newOperator(other);
  const state = async (parameters = {}) => JSON.parse((await user.ok("operator/backups", parameters)).body) as Fields;
  await expect.poll(async () => Object.keys((await state()).list).length).toBe(1);
  // A backup is listed before its thread has ended, and one that runs is not begun again.
  await expect.poll(state).toMatchObject({ running: "0" });
  other.clock.advance(60);
  await state({ write: "1" });
  await expect.poll(async () => Object.keys((await state()).list).length).toBe(2);
  await expect.poll(state).toMatchObject({ configured: "1", running: "0", error: "" });
  expect(Number(JSON.parse((await user.ok("operator/state")).body).time_backup)).toBeGreaterThan(0);

  const [address = ""] = Object.keys((await state()).list);
  const { url = "" } = await state({ download: address });
  expect(url).toContain(`${other.baseUrl}/v2/operator/backup?link=`);
  const file = await fetch(url);
  expect(file.headers.get("content-disposition")).toBe(`attachment; filename="${path.basename(address)}"`);
  expect(Buffer.from(await file.arrayBuffer())).toEqual(await readFile(address));
  for (const [link, after] of [
    [`${url}x`, 0],
    [url.replace(/link=.*/, ""), 0],
    [url, 61],
  ] as const) {
    other.clock.advance(after);
    const refused = await fetch(link);
    expect([refused.status, refused.headers.get("x-error-code")]).toEqual([401, "link_expired"]);
  }
  const outside = await user.call("operator/backups", { download: path.join(BACKUP_TO, "../passwd") });
  expect(outside.headers.get("x-error")).toBe("operator/backups: download must be the address of a listed backup");
  const gone = await state({ download: address });
  await rm(address);
  expect((await fetch(gone.url ?? "")).status).toBe(404);
});

test("checks are the same as readinglist doctor's, in a process of their own", async () => {
  expect(await ask("checks")).toMatchObject({ running: "0", time_checked: "0", list: {} });
  const user = await service.newUser();
  await user.add("https://example.com/");
  expect(await ask("checks", { run: "1" })).toMatchObject({ running: "1" });
  await expect.poll(() => ask("checks")).toMatchObject({ running: "0", error: "" });
  const { list, time_checked } = await ask("checks");
  expect(time_checked).toBe(String(service.clock.seconds()));
  // The clock of this test is behind the machine's.
  expect(list).toMatchObject({ database: { state: "ok" }, pictures: { state: "ok" }, counts: { state: "ok" } });

  const database = Database.open(service.env.DATA_DIR);
  database.run("UPDATE users SET count_unread = 7 WHERE username = :username", {
    username: user.credentials.username,
  });
  await database.close();
  await ask("checks", { run: "1" });
  await expect.poll(() => ask("checks")).toMatchObject({ running: "0" });
  const { counts } = (await ask("checks")).list;
  expect(counts).toMatchObject({ state: "fault", finding: expect.stringContaining(user.credentials.username) });
});

describe("the first operator", () => {
  test("is the user who registers with the code from the log, even if sign-up is closed, and the only one", async () => {
    const DATA_DIR = temporaryFolder();
    const first = await startInProcess({ DATA_DIR, SIGNUP: "closed" });
    const call = (endpoint: string, parameters: Record<string, string>, of = first) =>
      fetch(`${of.baseUrl}/v2/${endpoint}`, {
        method: "POST",
        body: new URLSearchParams({ apikey: "local-dev-key", password: "secret", ...parameters }),
      });
    const config = async () => (await fetch(`${first.baseUrl}/app/config.json`)).json();
    expect(first.operatorLink).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/app\/#code=[\w-]{22}$/);
    expect(await config()).toMatchObject({ isFirstRun: true });
    expect((await call("signup", { username: "ann" })).status).toBe(403);
    expect((await call("signup", { username: "ann", invitation: "guessed" })).status).toBe(401);
    const invitation = secretOf(first.operatorLink).get("code") ?? "";
    const both = await Promise.all(["ann", "bob"].map((username) => call("signup", { username, invitation })));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
    const username = both[0]?.status === 200 ? "ann" : "bob";
    expect((await call("operator/state", { username })).status).toBe(200);
    expect(await config()).toMatchObject({ isFirstRun: false });
    await first.stop();
    const second = await startInProcess({ DATA_DIR });
    expect(second.operatorLink).toBeUndefined();
    expect((await call("signup", { username: "eve", invitation }, second)).status).toBe(401);
  });

  test("users who sign up without it are not administrators; each start has another code", async () => {
    const DATA_DIR = temporaryFolder();
    const first = await startInProcess({ DATA_DIR });
    const body = new URLSearchParams({ apikey: "local-dev-key", username: "ann", password: "secret" });
    expect((await fetch(`${first.baseUrl}/v2/signup`, { method: "POST", body })).status).toBe(200);
    const answer = await fetch(`${first.baseUrl}/v2/operator/state`, { method: "POST", body });
    expect(answer.headers.get("x-error-code")).toBe("not_operator");
    await first.stop();
    const second = await startInProcess({ DATA_DIR });
    expect(second.operatorLink).toBeDefined();
    expect(second.operatorLink).not.toBe(first.operatorLink);
  });
});

test("readinglist users operator gives the role, and removes it", async () => {
  const user = await service.newUser();
  const { username } = user.credentials;
  const commands = commandsFor(service);
  expect((await user.call("operator/state")).status).toBe(403);
  await commands.ok("users", "operator", username);
  expect((await user.call("operator/state")).status).toBe(200);
  await commands.ok("users", "operator", username, "--remove");
  expect((await user.call("operator/state")).status).toBe(403);
  const { err } = await commands.run("users", "operator", "nobody");
  expect(err).toContain("there is no user nobody");
});
