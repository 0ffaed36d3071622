// SPDX-License-Identifier: MIT

import { once } from "node:events";
import { newName, TestUser } from "@reading-list/testing/client.ts";
import { commandsFor, runCommand, startCommand } from "@reading-list/testing/command-line.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, describe, expect, test, vi } from "vitest";

let service: TestService;
let commands: Awaited<ReturnType<typeof commandsFor>>;

beforeAll(async () => {
  service = await startTestService();
  commands = await commandsFor(service);
});

/** A user with items, sent in batches of 1,000. */
async function userWith(items: number): Promise<TestUser> {
  const user = await service.newUser();
  for (let start = 0; start < items; start += 1000) {
    const entries = Array.from({ length: Math.min(1000, items - start) }, (_, i) => ({
      url: `http://example.com/${start + i}`,
      title: `An article ${start + i}`,
    }));
    const { status } = await user.send({ new: entries });
    expect(status).toBe(200);
  }
  return user;
}

/** Every record that names a user. */
const recordsOf = async (username: string) =>
  (await service.records()).filter((record) => JSON.stringify(record).includes(username));

const countItems = async (username: string): Promise<number> => {
  let items = 0;
  for await (const page of service.operator.walkRecords(username)) items += page.length;
  return items;
};

describe("users show", () => {
  test("prints counts and times, and never the password hash", async () => {
    const user = await userWith(3);
    await user.send({ read: [{ url: "http://example.com/1" }] });
    const outcome = await commands.run("users", "show", user.username, "--json");
    expect(outcome.json()).toMatchObject({
      username: user.username,
      countUnread: 2,
      countRead: 1,
      deletingSince: null,
    });
    const { out } = await commands.run("users", "show", user.username);
    expect(out).toMatch(/Unread items +2\n/);
    expect(outcome.out + out).not.toContain("argon2");
  });

  test.each([["show"], ["delete"], ["reset-password"]])(
    "users %s of an unknown user prints one line that says what to do",
    async (command) => {
      const { code, out, err } = await commands.run("users", command, "nobody-here", "--yes");
      expect([code, out]).toEqual([1, ""]);
      expect(err).toBe("readinglist: there is no user nobody-here; check the name, and the stage or database\n");
    },
  );

  test("of an invalid name exits with 2", async () => {
    expect((await commands.run("users", "show", "Ann Lee")).code).toBe(2);
  });
});

describe("users delete", () => {
  test("removes every record of a user and prints their number; the name is free again", async () => {
    const user = await userWith(150);
    await user.call("auth", { password: "wrong" });
    const other = await userWith(2);
    expect(await commands.ok("users", "delete", user.username)).toEqual({
      username: user.username,
      deleted: { users: 1, items: 150, articles: 0, appPasswords: 0, loginAttempts: 1, records: 152 },
    });
    expect(await recordsOf(user.username)).toEqual([]);
    expect((await user.call("auth")).status).toBe(401);
    expect(await other.items()).toHaveLength(2);
    expect((await user.call("signup")).status).toBe(200);
    expect(await user.items()).toEqual([]);
  });

  test("refuses to run without a terminal and --yes", async () => {
    const user = await userWith(1);
    const { code, err } = await commands.run("users", "delete", user.username);
    expect([code, err]).toEqual([2, expect.stringMatching(/--yes/)]);
    expect(await user.items()).toHaveLength(1);
  });

  test("locks the user out if it is killed in the middle, and the next run completes it", async () => {
    const user = await userWith(4000);
    const started = startCommand(["users", "delete", user.username, "--yes"], commands.env);
    // The first line of progress comes after the first batch.
    await once(started.stderr as NodeJS.ReadableStream, "data");
    started.kill("SIGKILL");
    await once(started, "close");
    const left = await countItems(user.username);
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(4000);

    for (const endpoint of ["auth", "get", "stats", "signup"]) expect((await user.call(endpoint)).status).toBe(401);
    expect((await user.call("add", { url: "http://example.com/new" })).status).toBe(401);
    expect((await commands.run("users", "show", user.username)).out).toContain("users delete");
    for (const command of [["export"], ["users", "reset-password"]]) {
      expect((await commands.run(...command, user.username, "--yes")).err).toContain("is being deleted");
    }

    const { deleted } = await commands.ok("users", "delete", user.username);
    // The database may have finished a batch after the kill.
    expect(deleted).toMatchObject({ users: 1, items: expect.toSatisfy((items: number) => items > 0 && items <= left) });
    expect(await recordsOf(user.username)).toEqual([]);
    expect((await user.call("signup")).status).toBe(200);
  });

  test("lets the writes of a call under way fail", async () => {
    const user = await service.newUser();
    const admitted = await service.operator.users.find(user.username);
    if (!admitted) throw new Error("no such user");
    await service.operator.beginDeletion(admitted, service.clock.seconds());
    const content = {
      url: "http://example.com/",
      title: "t",
      tags: "",
      state: "0",
      refId: undefined,
      isDeleted: false,
    } as const;
    const after = { ...content, itemId: "1", applicationId: "local" };
    const { items } = service.operator;
    const write = () => items.write(admitted, [{ before: undefined, after }], service.clock.seconds());
    await expect(write()).rejects.toMatchObject({ kind: "unauthorized" });
    await commands.ok("users", "delete", user.username);
    await expect(write()).rejects.toMatchObject({ kind: "unauthorized" });
    expect(await recordsOf(user.username)).toEqual([]);
  });

  test("removes all records although a client keeps writing", async () => {
    const user = await userWith(500);
    const statuses: number[] = [];
    let isOver = false;
    const client = async (name: number) => {
      for (let i = 0; !isOver; i++) {
        statuses.push((await user.call("add", { url: `http://example.com/${name}/${i}` })).status);
      }
    };
    const clients = [1, 2, 3].map(client);
    await vi.waitFor(() => expect(statuses).toContain(200), { timeout: 60_000 });
    await commands.ok("users", "delete", user.username);
    isOver = true;
    await Promise.all(clients);
    // 503: too many sign-ins for one username at once.
    expect(statuses.filter((status) => ![200, 401, 403, 503].includes(status))).toEqual([]);
    expect(await countItems(user.username)).toBe(0);
  });
});

describe("users reset-password", () => {
  test("sets a random password that is shown once; the old one, which functions have cached, stops at once", async () => {
    const user = await userWith(1);
    await user.ok("auth");
    const { password } = await commands.ok("users", "reset-password", user.username);
    expect(password).toMatch(/^[\w-]{20}$/);
    expect((await user.call("auth")).status).toBe(401);
    expect(await new TestUser(service, user.username, String(password)).items()).toHaveLength(1);
    expect(JSON.stringify(await recordsOf(user.username))).not.toContain(String(password));
  });

  test("reads a password from standard input and never shows it", async () => {
    const user = await service.newUser();
    const args = ["users", "reset-password", user.username, "--ask", "--yes"];
    const { code, out, err } = await runCommand(args, commands.env, "blue parrot 7\n");
    expect(code).toBe(0);
    expect(out + err).not.toContain("blue parrot");
    expect((await user.call("auth", { password: "blue parrot 7" })).status).toBe(200);
  });

  test.each([
    ["", "is missing"],
    ["a".repeat(21), "must be 1-20 characters"],
  ])("refuses a password that no user can have: '%s'", async (password, reason) => {
    const user = await service.newUser();
    const args = ["users", "reset-password", user.username, "--ask", "--yes"];
    const { code, err } = await runCommand(args, commands.env, `${password}\n`);
    expect([code, err]).toEqual([1, `readinglist: the password ${reason}; nothing was changed\n`]);
    expect((await user.call("auth")).status).toBe(200);
  });

  test("ends the lockout of the user", async () => {
    const user = await service.newUser();
    for (let i = 0; i < 10; i++) await user.call("auth", { password: "wrong" });
    expect((await user.call("auth")).status).toBe(403);
    const { password } = await commands.ok("users", "reset-password", user.username);
    expect((await user.call("auth", { password: String(password) })).status).toBe(200);
  });
});

describe("users create", () => {
  const create = (username: string, input: string) => runCommand(["users", "create", username], commands.env, input);

  test("registers a user with a password from standard input and never shows it", async () => {
    const username = newName();
    const { code, out, err } = await create(username, "blue parrot 7\n");
    expect([code, out, err]).toEqual([0, `Registered ${username}.\n`, ""]);
    const user = new TestUser(service, username, "blue parrot 7");
    await user.add("http://example.com/");
    expect(await user.items()).toHaveLength(1);
  });

  test("refuses a taken username and does not change that user", async () => {
    const user = await service.newUser();
    const { code, out, err } = await create(user.username, "another one\n");
    expect([code, out]).toEqual([1, ""]);
    expect(err).toBe(`readinglist: the username ${user.username} is taken; choose another\n`);
    await user.ok("auth");
  });

  test.each([
    ["a password of 21 characters", newName(), `${"a".repeat(21)}\n`, 1, "must be 1-20 characters"],
    ["an empty password", newName(), "\n", 1, "is missing"],
    ["no password", newName(), "", 1, "nothing was changed"],
    ["an invalid name", "Ann Lee", "secret\n", 2, "must be 1-20 characters of a-z"],
  ])("refuses %s", async (_, username, input, exitCode, reason) => {
    const { code, err } = await create(username, input);
    expect([code, err]).toEqual([exitCode, expect.stringContaining(reason)]);
    expect(await recordsOf(username)).toEqual([]);
  });

  test("refuses a password as an argument, because process lists and histories would show it", async () => {
    expect((await commands.run("users", "create", newName(), "secret")).code).toBe(2);
  });
});

test("users list prints the names, times and counts of all users, and never a password hash", async () => {
  const [first, second] = [await userWith(2), await service.newUser()];
  const list = (await commands.ok("users", "list")) as unknown as { username: string }[];
  expect(list).toContainEqual({
    username: first.username,
    userSince: service.clock.seconds(),
    countUnread: 2,
    countRead: 0,
    articles: 0,
    articleBytes: 0,
    deletingSince: null,
    movingSince: null,
  });
  const names = list.map(({ username }) => username);
  expect(names).toContain(second.username);
  expect(names).toEqual([...names].sort());
  const { out } = await commands.run("users", "list");
  expect(out).toMatch(new RegExp(`^${first.username} .*Z +2 +0 +0 +0.0$`, "m"));
  expect(out + JSON.stringify(list)).not.toContain("argon2");
});

test("users app-passwords lists those of a user, never a secret, and revokes one", async () => {
  const user = await service.newUser();
  const create = async (name: string) => JSON.parse((await user.ok("app_passwords", { create: name })).body);
  const [phone, tablet] = [await create("Phone"), await create("Tablet")];
  const expires = service.clock.seconds() + 60;
  await user.ok("app_passwords", { create: "Feeds", scope: "feed", expires });
  const { out } = await commands.run("users", "app-passwords", user.username);
  expect(out).toMatch(new RegExp(`^${phone.id} +Phone +full +.*Z +never +never$`, "m"));
  expect(out).toMatch(/ Feeds +feed +.*Z +never +.*Z$/m);
  expect(await commands.ok("users", "app-passwords", user.username, "--revoke", phone.id)).toEqual({
    username: user.username,
    revoked: phone.id,
  });
  const left = await commands.ok("users", "app-passwords", user.username);
  const { id, name } = tablet;
  const never = { createdAt: service.clock.seconds(), usedAt: 0 };
  expect(left).toHaveLength(2);
  expect(left).toContainEqual({ id, name, scope: "full", ...never });
  expect(left).toContainEqual({ id: expect.any(String), name: "Feeds", scope: "feed", ...never, expiresAt: expires });
  expect((await user.call("auth", { password: phone.password })).status).toBe(401);
  const { code, err } = await commands.run("users", "app-passwords", user.username, "--revoke", phone.id);
  expect([code, err]).toEqual([1, expect.stringContaining(`has no app password ${phone.id}`)]);
});
