// SPDX-License-Identifier: MIT

import { once } from "node:events";
import path from "node:path";
import { DeleteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { Identity } from "@reading-list/core/domain/identity.ts";
import { toItemId } from "@reading-list/core/domain/item-id.ts";
import type { UserRecord } from "@reading-list/core/ports/operator.ts";
import type { User } from "@reading-list/core/ports/users.ts";
import { itemKey, userKey } from "@reading-list/store-dynamodb/keys.ts";
import { Database } from "@reading-list/store-sqlite/database.ts";
import { createOperatorStore } from "@reading-list/store-sqlite/operator.ts";
import { createStore } from "@reading-list/store-sqlite/store.ts";
import { ServiceClient, TestUser } from "@reading-list/testing/client.ts";
import { commandsFor, runCommand, startCommand } from "@reading-list/testing/command-line.ts";
import { servePages } from "@reading-list/testing/page-server.ts";
import { startDatabaseProxy } from "@reading-list/testing/proxy.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { startDynamodbService, startInProcess, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";

let source: TestService;
let target: TestService;
let onSource: Awaited<ReturnType<typeof commandsFor>>;
let onTarget: Awaited<ReturnType<typeof commandsFor>>;

beforeAll(async () => {
  [source, target] = [await startDynamodbService(), await startDynamodbService()];
  [onSource, onTarget] = [await commandsFor(source), await commandsFor(target)];
});
beforeEach(() => {
  source.clock.advance(1);
  // Tests move the source's clock ahead; the target's logical clocks may be ahead of its wall clock by 600 s at most.
  target.clock.advance(source.clock.seconds() - target.clock.seconds());
});

/** Arguments that name both tables, or proxies in front of them. */
const tables = ({
  from = onSource.env.DYNAMODB_ENDPOINT,
  to = onTarget.env.DYNAMODB_ENDPOINT,
}: {
  from?: string;
  to?: string;
} = {}) => ["--from", from, "--from-table", source.table.tableName, "--to", to, "--to-table", target.table.tableName];

const move = (username: string, places?: Parameters<typeof tables>[0]) =>
  runCommand(["move", username, ...tables(places), "--json"], {});

/** A move that must succeed. */
async function moved(username: string): Promise<Record<string, unknown>> {
  const { code, err, json } = await move(username);
  expect([code, err.includes("readinglist:")]).toEqual([0, false]);
  return (json() as unknown as Record<string, unknown>[])[0] ?? {};
}

/** A proxy in front of the target that calls `before` ahead of the nth command of an operation. */
const beforeNth = (env: { DYNAMODB_ENDPOINT: string }, wanted: string, nth: number, before: () => Promise<unknown>) => {
  let seen = 0;
  return startDatabaseProxy(env.DYNAMODB_ENDPOINT, async (operation) => {
    if (operation === wanted && ++seen === nth) await before();
  });
};

const urlOf = (n: number) => `https://example.com/${n}`;
const inTarget = ({ credentials: { username, password } }: TestUser) => new TestUser(target, username, password);

/** A user of the source with three pages: one read, one tagged, one deleted. */
async function userWith(pages: number): Promise<TestUser> {
  const user = await source.newUser();
  await user.send({
    new: Array.from({ length: pages }, (_, n) => ({ url: urlOf(n), title: `Page ${n}`, ref_id: "7" })),
  });
  source.clock.advance(10);
  await user.send({
    read: [{ url: urlOf(0) }],
    update_tags: [{ url: urlOf(1), tags: "a,b" }],
    delete: [{ url: urlOf(2) }],
  });
  return user;
}

const replacePassword = ({ env }: typeof onSource, user: TestUser) =>
  runCommand(["users", "reset-password", user.username, "--ask", "--yes"], env, "replaced\n");

async function recordOf({ operator }: TestService, user: TestUser): Promise<UserRecord> {
  const record = await operator.findUser(user.username);
  if (!record) throw new Error(`there is no user ${user.username}`);
  return record;
}

const identityOf = (user: TestUser, issuer = "https://login.example.com"): Identity => ({
  issuer,
  subject: user.username,
});

const linkTo = async (service: TestService, user: TestUser, identity: Identity) =>
  service.operator.identities.link(identity, await recordOf(service, user));

async function expectSameList(user: TestUser): Promise<void> {
  const copy = inTarget(user);
  expect(await copy.items()).toEqual(await user.items());
  expect(await copy.stats()).toEqual(await user.stats());
}

async function expectLockedOut(user: TestUser): Promise<void> {
  const copy = inTarget(user);
  for (const endpoint of ["auth", "get", "stats", "signup"]) expect((await copy.call(endpoint)).status).toBe(401);
  expect((await copy.call("add", { url: urlOf(99) })).status).toBe(401);
}

describe("move", () => {
  test("brings password, ids, titles, tags, times, states and order, and leaves the source as it was", async () => {
    const user = await userWith(250);
    const before = await user.items();
    expect(await moved(user.username)).toMatchObject({
      username: user.username,
      outcome: "moved",
      items: 249,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    await expectSameList(user);
    expect(await user.items()).toEqual(before);
    expect((await inTarget(user).call("auth", { password: "wrong" })).status).toBe(401);
    expect((await onTarget.run("users", "recount", user.username)).out).toBe("All counts are right.\n");
  });

  test("keeps the numbers of items, including numbers that the source gives during and after a move", async () => {
    const user = await userWith(60);
    const idsOf = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => toItemId(urlOf(from + i)));
    const assign = async ({ operator }: TestService, ids: string[]) => {
      const list = await operator.users.find(user.username);
      return list && operator.items.assignNumbers(list, ids);
    };
    await assign(source, idsOf(10, 30));
    let isDuring = true;
    const from = await startDatabaseProxy(onSource.env.DYNAMODB_ENDPOINT, async (operation) => {
      if (operation !== "Query" || !isDuring) return;
      isDuring = false;
      await assign(source, idsOf(30, 40));
    });
    expect((await move(user.username, { from })).code).toBe(0);
    await assign(source, idsOf(40, 50));
    expect(await moved(user.username)).toMatchObject({ outcome: "moved" });
    expect(await assign(target, idsOf(50, 60))).toEqual(await assign(source, idsOf(50, 60)));
    expect(await assign(target, idsOf(0, 60))).toEqual(await assign(source, idsOf(0, 60)));
    const [there, here] = [target, source].map(({ operator }) => operator.items.findByNumber(user.username, 31));
    expect((await there)?.url).toBe((await here)?.url);
  });

  test("lets a client continue with its since: it gets each change once, from either service", async () => {
    const user = await userWith(10);
    const { since } = await user.get();
    source.clock.advance(150);
    await user.add(urlOf(20));
    await user.send({ delete: [{ url: urlOf(5) }] });
    source.clock.advance(150);
    const other = await user.get({ since });
    await moved(user.username);

    const copy = inTarget(user);
    const caughtUp = await copy.get({ since, deleted: 1 });
    expect(Object.values(caughtUp.list).map(({ url }) => url)).toEqual([urlOf(20)]);
    expect(Object.keys(caughtUp.deleted ?? {})).toEqual([toItemId(urlOf(5))]);
    // The clock of the target is 300 s behind the source's.
    expect(await copy.get({ since: other.since })).toMatchObject({ status: "2", since: other.since });
    await copy.add(urlOf(21));
    for (const last of [other.since, caughtUp.since]) {
      const next = await copy.get({ since: last });
      expect(Object.values(next.list).map(({ url }) => url)).toEqual([urlOf(21)]);
      expect((await copy.get({ since: next.since })).status).toBe("2");
    }
  });

  test("of a list that changes meanwhile brings the list of one moment", async () => {
    const user = await userWith(120);
    let changes = 0;
    const from = await startDatabaseProxy(onSource.env.DYNAMODB_ENDPOINT, async (operation) => {
      if (operation === "Query" && changes < 3) await user.add(urlOf(500 + changes++));
    });
    expect((await move(user.username, { from })).code).toBe(0);
    expect(await user.items()).toHaveLength(122);
    await expectSameList(user);
  });

  test("of a list that never stops changing fails, without a login to the half of it", async () => {
    const user = await userWith(5);
    let changes = 0;
    const from = await startDatabaseProxy(onSource.env.DYNAMODB_ENDPOINT, async (operation) => {
      if (operation === "Query") await user.add(urlOf(500 + changes++));
    });
    const { code, err } = await move(user.username, { from });
    expect([code, err]).toEqual([1, expect.stringContaining("keeps changing; start maintenance")]);
    await expectLockedOut(user);
    await moved(user.username);
    await expectSameList(user);
  });

  test.each([
    ["before the first items", "TransactWriteItems", 1],
    ["among the items", "TransactWriteItems", 2],
    ["before the copy is verified", "Query", 1],
    ["before the list is opened", "UpdateItem", 2],
  ])("killed %s locks the user out of the target, and its repetition completes it", async (_, operation, nth) => {
    const user = await userWith(150);
    const child = { kill: () => {} };
    const to = await beforeNth(onTarget.env, operation, nth, async () => {
      child.kill();
      // The command never arrives.
      await new Promise(() => {});
    });
    const started = startCommand(["move", user.username, ...tables({ to })], {});
    child.kill = () => void started.kill("SIGKILL");
    await once(started, "close");

    await expectLockedOut(user);
    expect((await onTarget.run("users", "show", user.username)).out).toContain("finish with readinglist move");
    expect((await onTarget.run("users", "list")).out).toMatch(new RegExp(`${user.username} .* being moved here since`));
    for (const command of [["export"], ["users", "reset-password"], ["users", "recount"]]) {
      expect((await onTarget.run(...command, user.username, "--yes")).err).toContain("is being moved here");
    }
    // Changes after the kill are moved, too.
    await user.send({ delete: [{ url: urlOf(7) }], read: [{ url: urlOf(8) }] });
    expect(await moved(user.username)).toMatchObject({ outcome: "moved", items: 148 });
    await expectSameList(user);
  });

  test("from a source that stops half way fails in a line, and its repetition completes it", async () => {
    const user = await userWith(150);
    let queries = 0;
    const from = await startDatabaseProxy(onSource.env.DYNAMODB_ENDPOINT, async (operation) => {
      return operation !== "GetItem" || ++queries < 3;
    });
    const { code, err } = await move(user.username, { from });
    expect([code, err.split("\n").at(-2)]).toEqual([1, expect.stringContaining("the database does not answer")]);
    await expectLockedOut(user);
    await moved(user.username);
    await expectSameList(user);
  });

  test.each([
    ["redirects", 307, { location: "http://127.0.0.1:1/" }, ""],
    ["is another server", 200, { "content-type": "text/html" }, "<html></html>"],
    ["has other paths", 404, {}, "not found"],
  ])("from a source that %s fails in a line, and writes nothing", async (_, status, headers, body) => {
    const from = await servePages((_request, response) => response.writeHead(status, headers).end(body));
    const { code, err } = await move("ann-elsewhere", { from });
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/^readinglist: the answer does not come from DynamoDB .*\n$/),
    ]);
    expect((await onTarget.run("users", "show", "ann-elsewhere")).err).toContain("no user ann-elsewhere");
  });

  test.each([
    ["a user's record", (name: string) => userKey(name), { userSince: "yesterday" }],
    ["an item", (name: string) => itemKey(name, toItemId(urlOf(1))), { page: '{"url":"javascript:x"}' }],
    ["an item that cannot be parsed", (name: string) => itemKey(name, toItemId(urlOf(1))), { page: "x" }],
  ])("from a source with %s that no service wrote fails in a line, and opens no list", async (_, keyOf, values) => {
    const user = await userWith(3);
    const [[name, value]] = Object.entries(values) as [[string, string]];
    const Key = keyOf(user.username);
    await source.table.client.send(
      new UpdateCommand({
        TableName: source.table.tableName,
        Key,
        UpdateExpression: "SET #name = :value",
        ExpressionAttributeNames: { "#name": name },
        ExpressionAttributeValues: { ":value": value },
      }),
    );
    const { code, err } = await move(user.username);
    expect([code, err.split("\n").at(-2)]).toEqual([
      1,
      expect.stringContaining("that are not from a reading-list service"),
    ]);
    expect((await inTarget(user).call("auth")).status).toBe(401);
  });

  test("repeated changes nothing, even if the list was used in the target since", async () => {
    const user = await userWith(5);
    await moved(user.username);
    const notMoved = { appPasswords: 0, shares: 0, hasPasskeys: false, isOperator: false };
    expect(await moved(user.username)).toEqual({ username: user.username, outcome: "movedBefore", notMoved });
    await inTarget(user).add(urlOf(50));
    const items = await inTarget(user).items();
    expect(await moved(user.username)).toMatchObject({ outcome: "movedBefore" });
    expect(await inTarget(user).items()).toEqual(items);
  });

  test("repeated brings a password that was replaced and a `since` that was answered in the source since", async () => {
    const user = await userWith(5);
    await moved(user.username);
    const [copy, replaced] = [inTarget(user), new TestUser(target, user.username, "replaced")];
    await copy.add(urlOf(50));
    await replacePassword(onSource, user);
    source.clock.advance(300);
    const { since } = await new TestUser(source, user.username, "replaced").get();
    expect(await moved(user.username)).toMatchObject({ username: user.username, outcome: "updated" });
    expect((await copy.call("auth")).status).toBe(401);
    await replaced.add(urlOf(51));
    expect(Object.values((await replaced.get({ since })).list).map(({ url }) => url)).toEqual([urlOf(51)]);
    expect(await replaced.items()).toHaveLength(6);
    expect(await moved(user.username)).toMatchObject({ outcome: "movedBefore" });
  });

  test("repeated keeps a password that was replaced in the target, and refuses if the source has a new one, too", async () => {
    const user = await userWith(5);
    await moved(user.username);
    await replacePassword(onTarget, user);
    expect(await moved(user.username)).toMatchObject({ outcome: "movedBefore" });
    await replacePassword(onSource, user);
    expect((await move(user.username)).err).toContain("both lists have changed since");
    expect((await new TestUser(target, user.username, "replaced").call("auth")).status).toBe(200);
  });

  test("leaves app passwords where they were made, also those made in the target", async () => {
    const user = await userWith(3);
    const passwords: string[] = [];
    const create = async (owner: TestUser) =>
      passwords.push(JSON.parse((await owner.ok("app_passwords", { create: "Phone", scope: "read" })).body).password);
    await create(user);
    await moved(user.username);
    await create(inTarget(user));
    await user.add(urlOf(3));
    await moved(user.username);
    const statuses = [user, inTarget(user)].flatMap((each) =>
      passwords.map((password) => each.call("auth", { password })),
    );
    expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([200, 401, 401, 200]);
  });

  test("brings identities of single sign-on, but none that another user of the target has", async () => {
    const [user, stranger] = [await userWith(3), await new ServiceClient(target).newUser()];
    const [mine, theirs] = [identityOf(user), identityOf(user, "https://other.example.com")];
    for (const each of [mine, theirs]) expect(await linkTo(source, user, each)).toBe(true);
    expect(await linkTo(target, stranger, theirs)).toBe(true);
    await moved(user.username);
    const ownerOf = async (wanted: Identity) => (await target.operator.identities.find(wanted))?.username;
    expect([await ownerOf(mine), await ownerOf(theirs)]).toEqual([user.username, stranger.username]);
    // A list that is moved once more, because it changed in the source.
    const next = { ...mine, subject: `${user.username} later` };
    await linkTo(source, user, next);
    await user.add(urlOf(50));
    await moved(user.username);
    expect([await ownerOf(mine), await ownerOf(next)]).toEqual([undefined, user.username]);
    expect(await target.operator.identities.list(await recordOf(target, user))).toEqual([next]);
  });

  test("does not link the identity that the user has unlinked in the target", async () => {
    const user = await userWith(3);
    const mine = identityOf(user);
    await linkTo(source, user, mine);
    await moved(user.username);
    await target.operator.identities.unlink(await recordOf(target, user));
    expect(await moved(user.username)).toMatchObject({ outcome: "movedBefore" });
    expect(await target.operator.identities.find(mine)).toBeUndefined();
  });

  test("repeated brings what changed in the source since, and locks the user out of the target meanwhile", async () => {
    const user = await userWith(5);
    await moved(user.username);
    await user.add(urlOf(60));
    let statusMeanwhile = 0;
    const to = await beforeNth(onTarget.env, "TransactWriteItems", 1, async () => {
      statusMeanwhile = (await inTarget(user).call("auth")).status;
    });
    expect((await move(user.username, { to })).code).toBe(0);
    expect(statusMeanwhile).toBe(401);
    await expectSameList(user);
  });

  test.each([
    ["changed", (copy: TestUser) => copy.add(urlOf(50))],
    ["synced", (copy: TestUser) => copy.get()],
  ])("repeated touches no list that was %s in the target if it was changed in the source, too", async (_, use) => {
    const user = await userWith(5);
    await moved(user.username);
    await use(inTarget(user));
    await user.add(urlOf(61));
    const read = async () => (await onTarget.run("export", user.username)).out;
    const list = await read();
    const { code, err } = await move(user.username);
    expect([code, err]).toEqual([1, expect.stringContaining("both lists have changed since")]);
    expect(await read()).toBe(list);
  });

  test("does not touch another user of that name in the target", async () => {
    const user = await userWith(5);
    const other = new TestUser(target, user.username, "another one");
    await other.ok("signup");
    await other.add(urlOf(70));
    const { code, err } = await move(user.username);
    expect([code, err]).toEqual([1, expect.stringContaining("is the name of another user in the target")]);
    expect((await other.items()).map(({ url }) => url)).toEqual([urlOf(70)]);
  });

  test("stops if another move has completed, and does not undo what clients changed since", async () => {
    const user = await userWith(250);
    const to = await beforeNth(onTarget.env, "TransactWriteItems", 2, async () => {
      await moved(user.username);
      await inTarget(user).send({ read: [{ url: urlOf(200) }] });
    });
    const { code, err } = await move(user.username, { to });
    expect([code, err]).toEqual([1, expect.stringContaining("by another command")]);
    expect((await inTarget(user).items({ state: "read" })).map(({ url }) => url)).toEqual([urlOf(200), urlOf(0)]);
  });

  test("stops if another move has completed, and does not link what the user has unlinked since", async () => {
    const user = await userWith(3);
    const mine = identityOf(user);
    await linkTo(source, user, mine);
    const to = await beforeNth(onTarget.env, "TransactWriteItems", 2, async () => {
      await moved(user.username);
      await target.operator.identities.unlink(await recordOf(target, user));
    });
    const { code, err } = await move(user.username, { to });
    expect([code, err]).toEqual([1, expect.stringContaining("by another command")]);
    expect(await target.operator.identities.find(mine)).toBeUndefined();
  });

  test("that lost an item on the way fails, and leaves the user locked out", async () => {
    const user = await userWith(50);
    const lost = itemKey(user.username, toItemId(urlOf(9)));
    const to = await beforeNth(onTarget.env, "Query", 1, () =>
      target.table.client.send(new DeleteCommand({ TableName: target.table.tableName, Key: lost })),
    );
    const { code, err } = await move(user.username, { to });
    expect([code, err]).toEqual([1, expect.stringContaining("items in the target that do not match what was written")]);
    await expectLockedOut(user);
    await moved(user.username);
    await expectSameList(user);
  });

  test("refuses a list whose record counts other items than there are; users delete removes what is there", async () => {
    const user = await userWith(5);
    const lost = itemKey(user.username, toItemId(urlOf(4)));
    await source.table.client.send(new DeleteCommand({ TableName: source.table.tableName, Key: lost }));
    const { code, err } = await move(user.username);
    expect([code, err]).toEqual([1, expect.stringContaining("users recount")]);
    await expectLockedOut(user);
    expect(await onTarget.ok("users", "delete", user.username)).toMatchObject({ deleted: { users: 1, items: 4 } });
    expect((await inTarget(user).call("signup")).status).toBe(200);
  });

  test.each([
    ["a username and --all", ["ann", "--all"]],
    ["neither a username nor --all", []],
    ["--stage", ["ann", "--stage", "production"]],
  ])("with %s is a wrong command line", async (_, args) => {
    expect((await runCommand(["move", ...args, ...tables()], {})).code).toBe(2);
  });

  test("to the same table is a wrong command line", async () => {
    const [place, name] = [onSource.env.DYNAMODB_ENDPOINT, source.table.tableName];
    const same = ["--from", place, "--from-table", name, "--to", place, "--to-table", name];
    const { code, err } = await runCommand(["move", "ann", ...same], {});
    expect([code, err]).toEqual([2, expect.stringContaining("both tables are the same")]);
  });

  test("of an unknown user, or to a table that is not there, says so in one line", async () => {
    const { code, err } = await move("nobody-here");
    expect([code, err]).toEqual([1, expect.stringContaining("the user does not exist")]);
    const nowhere = ["--from-table", source.table.tableName, "--to-table", "nothing"];
    const places = ["--from", onSource.env.DYNAMODB_ENDPOINT, "--to", onTarget.env.DYNAMODB_ENDPOINT];
    const missing = await runCommand(["move", "ann", ...places, ...nowhere], {});
    expect([missing.code, missing.err]).toEqual([1, expect.stringContaining("table nothing at http")]);
  });
});

describe("move --all", () => {
  test("moves every user between data folders, whether their services run or not, and names those it could not", async () => {
    const folder = temporaryFolder();
    const [from, to] = [path.join(folder, "from"), path.join(folder, "to")];
    const old = await startInProcess({ DATA_DIR: from });
    const first = await startInProcess({ DATA_DIR: to });
    for (const [name, pages] of Object.entries({ ann: 3, bob: 0, eve: 1 })) {
      const user = await new ServiceClient(old).newUser(name);
      for (let n = 0; n < pages; n++) await user.add(urlOf(n));
    }
    const runAll = async () => {
      const { code, json } = await runCommand(["move", "--all", "--from", from, "--to", to, "--json"], {});
      const rows = json() as unknown as { username: string; outcome: string; items?: number }[];
      return [code, ...rows.map(({ username, outcome, items }) => [username, outcome, items].join(" ")).sort()];
    };
    const user = await new ServiceClient(first).newUser("eve");
    const bob = { issuer: "https://login.example.com", subject: "1" };
    const [oldData, newData] = [from, to].map((each) => Database.open(each)) as [Database, Database];
    const record = await createOperatorStore(oldData).findUser("bob");
    if (record) await createOperatorStore(oldData).identities.link(bob, record);
    await first.stop();
    expect(await runAll()).toEqual([1, "ann moved 3", "bob moved 0", "eve taken "]);
    expect(await runAll()).toEqual([1, "ann movedBefore ", "bob movedBefore ", "eve taken "]);
    expect((await createOperatorStore(newData).identities.find(bob))?.username).toBe("bob");
    await Promise.all([oldData.close(), newData.close()]);
    const again = new ServiceClient(await startInProcess({ DATA_DIR: to }));
    expect(await new TestUser(again, "ann", user.credentials.password).items()).toHaveLength(3);
  });
});

describe("move of an account with a passkey", () => {
  const passkey = {
    id: "a",
    name: "Laptop",
    publicKey: new Uint8Array([1]),
    counter: 0,
    transports: [],
    createdAt: 1,
    usedAt: 0,
  };

  test("does not move the password, and lists for each user what was not moved", async () => {
    const folder = temporaryFolder();
    const [from, to] = [path.join(folder, "from"), path.join(folder, "to")];
    const old = await startInProcess({ DATA_DIR: from });
    const [ann, bob] = [await new ServiceClient(old).newUser("ann"), await new ServiceClient(old).newUser("bob")];
    for (const name of ["Phone", "Reader"]) await ann.ok("app_passwords", { create: name });
    await ann.add(urlOf(1));
    const data = Database.open(from);
    const { operator, passkeys, users } = createStore(data, { user: 1000, key: 1000 });
    await passkeys.add((await users.find("ann")) as User, passkey, { nonce: "n", at: 1 });
    await operator.administration?.setOperator("ann", true);
    await data.close();
    const next = await startInProcess({ DATA_DIR: to });
    const run = (...more: string[]) => runCommand(["move", "--all", "--from", from, "--to", to, ...more], {});
    const { out } = await run();
    const [first = "", ...lines] = out.split("\n");
    expect(first).toMatch(/^ann: 1 item, verified/);
    expect(lines.map((line) => line.trim())).toEqual([
      expect.stringMatching(/^not moved: 2 app passwords;/),
      expect.stringMatching(/^not moved: the passkeys, and the password, .*users reset-password ann/),
      expect.stringMatching(/^not moved: the administrator role.*users operator ann/),
      expect.stringMatching(/^bob: 0 items, verified/),
      "",
    ]);
    const statusOf = async ({ credentials: { username, password } }: TestUser) =>
      (await new ServiceClient(next).call("auth", { username, password })).status;
    expect([await statusOf(ann), await statusOf(bob)]).toEqual([401, 200]);
    expect((await run("--json")).json()).toMatchObject([
      { outcome: "movedBefore", notMoved: { appPasswords: 2, shares: 0, hasPasskeys: true, isOperator: true } },
      { outcome: "movedBefore", notMoved: { appPasswords: 0, shares: 0, hasPasskeys: false, isOperator: false } },
    ]);
    await runCommand(["users", "reset-password", "ann", "--ask", "--yes"], { DATA_DIR: to }, "a new one\n");
    expect((await run("--json")).json()).toMatchObject([{ outcome: "movedBefore" }, { outcome: "movedBefore" }]);
    const renewed = { username: "ann", password: "a new one" };
    expect((await new ServiceClient(next).call("auth", renewed)).status).toBe(200);
  });
});
