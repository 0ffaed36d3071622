import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { QueryCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { createItemStore } from "@reading-list/store/items.ts";
import { beginDeletion } from "@reading-list/store/user-records.ts";
import { createUserStore } from "@reading-list/store/users.ts";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { startTestService, type TestService, TestUser } from "../service.ts";
import { commandsFor, runCommand, startCommand } from "./command-line.ts";

let service: TestService;
let commands: Awaited<ReturnType<typeof commandsFor>>;

beforeAll(async () => {
  service = await startTestService();
  commands = await commandsFor(service);
});

/** A user with items; `send` takes a thousand at a time. */
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

const nameOf = ({ credentials }: TestUser) => credentials.username;

/** Every record of the table that names a user. */
async function recordsOf(username: string): Promise<unknown[]> {
  const { client, tableName } = service.table;
  const { Items = [] } = await client.send(new ScanCommand({ TableName: tableName }));
  return Items.filter((item) => JSON.stringify(item).includes(username));
}

const countItems = async (username: string): Promise<number> => {
  const { client, tableName } = service.table;
  const { Count = 0 } = await client.send(
    new QueryCommand({
      TableName: tableName,
      KeyConditionExpression: "pk = :pk AND begins_with(sk, :items)",
      ExpressionAttributeValues: { ":pk": `USER#${username}`, ":items": "ITEM#" },
      Select: "COUNT",
    }),
  );
  return Count;
};

describe("users show", () => {
  test("tells counts and times, and never the password's hash", async () => {
    const user = await userWith(3);
    await user.send({ read: [{ url: "http://example.com/1" }] });
    const outcome = await commands.run("users", "show", nameOf(user), "--json");
    expect(outcome.json()).toMatchObject({ username: nameOf(user), countUnread: 2, countRead: 1, deletingSince: null });
    const { out } = await commands.run("users", "show", nameOf(user));
    expect(out).toMatch(/Unread items +2\n/);
    expect(outcome.out + out).not.toContain("argon2");
  });

  test.each([["show"], ["delete"], ["reset-password"], ["export"]])(
    "users %s of an unknown user is one line that says what to do",
    async (command) => {
      const { code, out, err } = await commands.run("users", command, "nobody-here", "--yes");
      expect([code, out]).toEqual([1, ""]);
      expect(err).toBe("readinglist: there is no user nobody-here; check the name, and the stage or database\n");
    },
  );

  test("of a name that no user can have is a wrong use", async () => {
    expect((await commands.run("users", "show", "Ann Lee")).code).toBe(2);
  });
});

describe("users delete", () => {
  test("removes every record of a user and ends with a count; the name is free again", async () => {
    const user = await userWith(150);
    await user.call("auth", { password: "wrong" });
    const other = await userWith(2);
    expect(await commands.ok("users", "delete", nameOf(user))).toEqual({
      username: nameOf(user),
      deleted: { users: 1, items: 150, guesses: 1, records: 152 },
    });
    expect(await recordsOf(nameOf(user))).toEqual([]);
    expect((await user.call("auth")).status).toBe(401);
    expect(await other.items()).toHaveLength(2);
    expect((await user.call("signup")).status).toBe(200);
    expect(await user.items()).toEqual([]);
  });

  test("refuses where there is nobody to ask and no --yes", async () => {
    const user = await userWith(1);
    const { code, err } = await commands.run("users", "delete", nameOf(user));
    expect([code, err]).toEqual([2, expect.stringMatching(/--yes/)]);
    expect(await user.items()).toHaveLength(1);
  });

  test("that was killed in the middle leaves nobody half there, and goes on where it was", async () => {
    const user = await userWith(4000);
    const started = startCommand(["users", "delete", nameOf(user), "--yes"], commands.env);
    // The first line of progress comes after the first batch.
    await once(started.stderr as NodeJS.ReadableStream, "data");
    started.kill("SIGKILL");
    await once(started, "close");
    const left = await countItems(nameOf(user));
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(4000);

    for (const endpoint of ["auth", "get", "stats", "signup"]) expect((await user.call(endpoint)).status).toBe(401);
    expect((await user.call("add", { url: "http://example.com/new" })).status).toBe(401);
    expect((await commands.run("users", "show", nameOf(user))).out).toContain("users delete");
    for (const command of ["export", "reset-password"]) {
      expect((await commands.run("users", command, nameOf(user), "--yes")).err).toContain("is being deleted");
    }

    const { deleted } = await commands.ok("users", "delete", nameOf(user));
    expect(deleted).toMatchObject({ users: 1, items: left });
    expect(await recordsOf(nameOf(user))).toEqual([]);
    expect((await user.call("signup")).status).toBe(200);
  });

  test("stops a call under way from writing what would stay behind", async () => {
    const user = await service.newUser();
    const admitted = await createUserStore(service.table).find(nameOf(user));
    if (!admitted) throw new Error("no such user");
    await beginDeletion(service.table, nameOf(user), service.clock.seconds());
    const content = { url: "http://example.com/", title: "t", tags: "", state: "0", refId: undefined } as const;
    const after = { ...content, itemId: "1", applicationId: "local" };
    const items = createItemStore(service.table);
    const write = () => items.write(admitted, [{ before: undefined, after }], service.clock.seconds());
    await expect(write()).rejects.toMatchObject({ kind: "unauthorized" });
    await commands.ok("users", "delete", nameOf(user));
    await expect(write()).rejects.toMatchObject({ kind: "unauthorized" });
    expect(await recordsOf(nameOf(user))).toEqual([]);
  });

  test("leaves nothing behind of a client that goes on writing", async () => {
    const user = await userWith(500);
    const statuses: number[] = [];
    let isOver = false;
    const client = async (name: number) => {
      for (let i = 0; !isOver; i++) {
        statuses.push((await user.call("add", { url: `http://example.com/${name}/${i}` })).status);
      }
    };
    const clients = [1, 2, 3].map(client);
    await commands.ok("users", "delete", nameOf(user));
    isOver = true;
    await Promise.all(clients);
    expect([...new Set(statuses)].sort()).toEqual(expect.arrayContaining([200]));
    expect(statuses.every((status) => [200, 401, 403].includes(status))).toBe(true);
    expect(await countItems(nameOf(user))).toBe(0);
  });
});

describe("users reset-password", () => {
  test("sets a random password that is shown once; the old one, which functions remember, stops at once", async () => {
    const user = await userWith(1);
    await user.ok("auth");
    const { password } = await commands.ok("users", "reset-password", nameOf(user));
    expect(password).toMatch(/^[\w-]{20}$/);
    expect((await user.call("auth")).status).toBe(401);
    expect(await new TestUser(service, nameOf(user), String(password)).items()).toHaveLength(1);
    expect(JSON.stringify(await recordsOf(nameOf(user)))).not.toContain(String(password));
  });

  test("takes a password from standard input, and never shows it", async () => {
    const user = await service.newUser();
    const args = ["users", "reset-password", nameOf(user), "--ask", "--yes"];
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
    const args = ["users", "reset-password", nameOf(user), "--ask", "--yes"];
    const { code, err } = await runCommand(args, commands.env, `${password}\n`);
    expect([code, err]).toEqual([1, `readinglist: the password ${reason}; nothing was changed\n`]);
    expect((await user.call("auth")).status).toBe(200);
  });

  test("lets a user in who tried the wrong one too often", async () => {
    const user = await service.newUser();
    for (let i = 0; i < 10; i++) await user.call("auth", { password: "wrong" });
    expect((await user.call("auth")).status).toBe(403);
    const { password } = await commands.ok("users", "reset-password", nameOf(user));
    expect((await user.call("auth", { password: String(password) })).status).toBe(200);
  });
});

describe("users export", () => {
  test("writes all items as JSON, without the password's hash", async () => {
    const user = await userWith(1200);
    await user.add("http://example.com/tagged", { title: 'Of "quotes", ünd\nlines' });
    await user.send({ update_tags: [{ url: "http://example.com/tagged", tags: "a,b" }] });
    const { code, out } = await commands.run("users", "export", nameOf(user));
    expect(code).toBe(0);
    const exported = JSON.parse(out);
    expect(exported).toMatchObject({ username: nameOf(user), count_unread: 1201, count_read: 0 });
    const listed = await user.items();
    const ids = (items: { item_id: string }[]) => items.map(({ item_id }) => item_id).sort();
    expect(ids(exported.items)).toEqual(ids(listed));
    const wanted = { title: 'Of "quotes", ünd\nlines', tags: "a,b", state: "0", application_id: "local" };
    expect(exported.items).toContainEqual(expect.objectContaining(wanted));
    expect(out).not.toContain("argon2");
  });

  test("to a file leaves one that its owner alone reads", async () => {
    const user = await userWith(2);
    const folder = mkdtempSync(path.join(tmpdir(), "reading-list-export-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = path.join(folder, "list.json");
    expect(await commands.ok("users", "export", nameOf(user), "--out", file)).toMatchObject({ items: 2, file });
    expect(JSON.parse(readFileSync(file, "utf8")).items).toHaveLength(2);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const missing = path.join(folder, "missing", "list.json");
    const { code, err } = await commands.run("users", "export", nameOf(user), "--out", missing);
    expect([code, err]).toEqual([1, expect.stringContaining("cannot be written")]);
    expect(existsSync(missing)).toBe(false);
  });
});
