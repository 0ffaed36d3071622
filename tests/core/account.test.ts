// SPDX-License-Identifier: MIT

import { finishDeletions } from "@reading-list/core/use-cases/accounts/delete-user.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { parseXml } from "@reading-list/testing/parse-xml.ts";
import { startInProcess, startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, describe, expect, test, vi } from "vitest";

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

type AppPassword = Record<"status" | "id" | "name" | "password", string>;
type AppPasswords = { status: string; list: Record<string, Record<string, string>> };

const create = async (user: TestUser, name = "Phone"): Promise<AppPassword> =>
  JSON.parse((await user.ok("app_passwords", { create: name })).body);
const list = async (user: TestUser): Promise<AppPasswords> => JSON.parse((await user.ok("app_passwords")).body);
const statusOf = async (user: TestUser, password: string) => (await user.call("auth", { password })).status;

describe("app_passwords", () => {
  test("creates, lists and revokes, as JSON", async () => {
    const user = await service.newUser();
    const created = await create(user, 'Grün & "Blau"');
    const { id, password } = created;
    expect(created).toEqual({ status: "1", id, name: 'Grün & "Blau"', password });
    const entry = {
      id,
      name: 'Grün & "Blau"',
      scope: "full",
      expires: "0",
      time_created: String(service.clock.seconds()),
    };
    expect(await list(user)).toEqual({ status: "1", list: { [id]: { ...entry, time_used: "0" } } });
    await user.ok("get", { password });
    const day = service.clock.seconds() - (service.clock.seconds() % 86_400);
    expect(await list(user)).toEqual({ status: "1", list: { [id]: { ...entry, time_used: String(day) } } });
    expect((await user.ok("app_passwords", { revoke: id })).body).toBe("200 OK");
    expect(await list(user)).toEqual({ status: "1", list: {} });
    expect(await statusOf(user, password)).toBe(401);
  });

  test("creates and lists as XML, with the fields of JSON", async () => {
    const user = await service.newUser();
    const namesOf = ({ children }: ReturnType<typeof parseXml>) => children.map(({ name }) => name);
    const created = parseXml((await user.ok("app_passwords", { create: "Phone", format: "xml" })).body);
    expect([created.name, namesOf(created)]).toEqual(["response", ["status", "id", "name", "password"]]);
    const listed = parseXml((await user.ok("app_passwords", { format: "xml" })).body);
    expect(namesOf(listed)).toEqual(["status", "list"]);
    const [item] = listed.children[1]?.children ?? [];
    expect([item?.name, item && namesOf(item)]).toEqual([
      "item",
      ["id", "name", "scope", "expires", "time_created", "time_used"],
    ]);
  });

  test("lists the oldest first", async () => {
    const user = await service.newUser();
    for (const name of ["c", "a", "b"]) {
      await create(user, name);
      service.clock.advance(1);
    }
    expect(Object.values((await list(user)).list).map(({ name }) => name)).toEqual(["c", "a", "b"]);
  });

  test.each([
    [{ create: "x".repeat(61) }, "create must be 1-60 characters"],
    [{ create: "a\nb" }, "create contains control characters"],
    [{ create: "Phone", revoke: "abc" }, "revoke and create cannot be sent together"],
    [{ revoke: "x-1" }, "revoke must be an id of the list"],
    [{ revoke: "abc" }, "revoke must be the id of one of the user's app passwords"],
  ])("with %j is 400", async (parameters, error) => {
    const user = await service.newUser();
    const answer = await user.call("app_passwords", parameters as Record<string, string>);
    expect([answer.status, answer.headers.get("x-error")]).toEqual([400, `app_passwords: ${error}`]);
  });

  test("revokes no app password of another user", async () => {
    const [user, other] = [await service.newUser(), await service.newUser()];
    const { id, password } = await create(other);
    expect((await user.call("app_passwords", { revoke: id })).status).toBe(400);
    expect(await statusOf(other, password)).toBe(200);
  });
});

describe("password", () => {
  test("replaces the account's password at once, and app passwords keep working", async () => {
    const user = await service.newUser();
    const { password } = await create(user);
    expect((await user.ok("password", { new_password: "a new one" })).body).toBe("200 OK");
    expect(await statusOf(user, user.credentials.password)).toBe(401);
    expect([await statusOf(user, "a new one"), await statusOf(user, password)]).toEqual([200, 200]);
  });

  test("with revoke=1 also revokes all app passwords", async () => {
    const user = await service.newUser();
    const { password } = await create(user);
    await user.ok("password", { new_password: "a new one", revoke: 1 });
    expect([await statusOf(user, "a new one"), await statusOf(user, password)]).toEqual([200, 401]);
    expect(JSON.parse((await user.ok("app_passwords", { password: "a new one" })).body).list).toEqual({});
  });

  test("is 400 without a new password of 1-20 characters, and changes nothing", async () => {
    const user = await service.newUser();
    for (const new_password of ["", "x".repeat(21)]) {
      expect((await user.call("password", { new_password })).status).toBe(400);
    }
    expect(await statusOf(user, user.credentials.password)).toBe(200);
  });

  test("that two devices change at once gets one of the new passwords, and the other call is 401", async () => {
    const user = await service.newUser();
    const answers = await Promise.all(["one", "two"].map((new_password) => user.call("password", { new_password })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
    const isFirst = answers[0]?.status === 200;
    expect(await statusOf(user, isFirst ? "one" : "two")).toBe(200);
  });
});

describe("delete_account", () => {
  test("deletes everything of the user, and of no other; the name is free", async () => {
    // The newest user: SQLite gives the next one the same row id.
    const [other, user] = [await service.newUser(), await service.newUser()];
    const { username } = user.credentials;
    for (const each of [user, other]) {
      await each.add("http://example.com/");
      await each.send({ new: [{ url: "http://example.com/b" }], delete: [{ url: "http://example.com/b" }] });
      await create(each);
      await each.call("auth", { password: "wrong" });
    }
    expect((await user.ok("delete_account", { confirm: username })).body).toBe("200 OK");
    expect(JSON.stringify(await service.records())).not.toContain(username);
    expect((await user.call("auth")).status).toBe(401);
    expect([(await other.items()).length, Object.keys((await list(other)).list).length]).toEqual([1, 1]);
    await user.ok("signup");
    expect([await user.items(), (await list(user)).list]).toEqual([[], {}]);
  });

  test("is 400 unless `confirm` is the username, and changes nothing", async () => {
    const user = await service.newUser();
    for (const parameters of [{}, { confirm: "other" }]) {
      expect((await user.call("delete_account", parameters as Record<string, string>)).status).toBe(400);
    }
    expect(await statusOf(user, user.credentials.password)).toBe(200);
  });

  describe("that is interrupted", () => {
    /** Leaves the state of a process that was killed in the middle of the deletion of a user. */
    async function interruptDeletion({ operator, clock }: TestService, { credentials: { username } }: TestUser) {
      const { userId = "" } = (await operator.findUser(username)) ?? {};
      await operator.beginDeletion({ username, userId }, clock.seconds());
      for await (const _ of operator.deleteItems({ username, userId })) break;
    }
    const manyPages = Array.from({ length: 1500 }, (_, page) => ({ url: `http://example.com/${page}` }));

    test("leaves the account closed, and is continued with all that is left", async () => {
      const user = await service.newUser();
      const { username } = user.credentials;
      await user.send({ new: manyPages });
      await create(user);
      await interruptDeletion(service, user);
      expect([(await user.call("auth")).status, (await user.call("signup")).status]).toEqual([401, 401]);
      expect(JSON.stringify(await service.records())).toContain(username);
      const { operator, clock } = service;
      await finishDeletions(operator, operator.articles, clock.seconds());
      expect(JSON.stringify(await service.records())).not.toContain(username);
      await user.ok("signup");
      expect(await user.items()).toEqual([]);
      await finishDeletions(operator, operator.articles, clock.seconds());
      await user.ok("auth");
    });

    test("is continued when the service starts", async () => {
      const stopped = await startTestService();
      const user = await stopped.newUser();
      await user.send({ new: manyPages });
      await interruptDeletion(stopped, user);
      await stopped.stop();
      await startInProcess(stopped.env);
      await vi.waitFor(async () => expect(await stopped.operator.findUser(user.credentials.username)).toBe(undefined), {
        timeout: 60_000,
      });
    });

    test("before the account was closed leaves the account as it was", async () => {
      const user = await service.newUser();
      const { username } = user.credentials;
      const { operator, clock } = service;
      const { userId = "" } = (await operator.findUser(username)) ?? {};
      // Another device changes the password in that moment.
      expect(await operator.beginDeletion({ username, userId, passwordHash: "other" }, clock.seconds())).toBe(false);
      for (const seconds of [0, 61]) {
        clock.advance(seconds);
        await finishDeletions(operator, operator.articles, clock.seconds());
        await user.ok("auth");
      }
      expect(JSON.stringify(await service.records())).not.toContain("DELETIONS");
    });
  });
});

describe.each([
  ["app_passwords", {}],
  ["password", { new_password: "x" }],
  ["delete_account", {}],
])("%s", (endpoint, parameters) => {
  test("refuses app passwords with 401, which says so and counts as no failed sign-in", async () => {
    const user = await service.newUser();
    const { password } = await create(user);
    for (let call = 1; call <= 11; call++) {
      const confirm = user.credentials.username;
      const answer = await user.call(endpoint, { password, confirm, ...parameters });
      expect(answer.status).toBe(401);
      expect(answer.headers.get("x-error")).toContain("an app password cannot manage the account");
    }
    expect(await statusOf(user, user.credentials.password)).toBe(200);
  });

  test("does not accept GET, which would leave the password in logs", async () => {
    const { credentials } = await service.newUser();
    const { status, headers } = await service.fetch(
      `${service.urlOf(endpoint)}?${service.formOf({ ...credentials, ...parameters })}`,
    );
    expect([status, headers.get("x-error")]).toEqual([404, `/v2/${endpoint} accepts only POST`]);
  });
});
