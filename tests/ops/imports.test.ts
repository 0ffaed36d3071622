// SPDX-License-Identifier: MIT

import { once } from "node:events";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { toItemId } from "@reading-list/core/domain/item-id.ts";
import { deleteUser } from "@reading-list/core/use-cases/accounts/delete-user.ts";
import type { ImportPorts } from "@reading-list/core/use-cases/articles/import-text.ts";
import { createStoreTarget } from "@reading-list/ops/import-targets.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { commandsFor, type Outcome, runCommand, startCommand } from "@reading-list/testing/command-line.ts";
import { startDatabaseProxy } from "@reading-list/testing/proxy.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { startDynamodbService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";

let service: TestService;
let commands: Awaited<ReturnType<typeof commandsFor>>;
let user: TestUser;
const folder = temporaryFolder();
beforeAll(async () => {
  service = await startDynamodbService();
  commands = await commandsFor(service);
});
beforeEach(async () => {
  user = await service.newUser();
});

function fileOf(text: string): string {
  const name = path.join(folder, `${crypto.randomUUID()}.csv`);
  writeFileSync(name, text);
  return name;
}

const header = "title,url,time_added,tags,status";
/** A Pocket file of pages that are not in the order of their times. */
const pocketOf = (count: number) =>
  [
    header,
    ...Array.from({ length: count }, (_, i) => {
      const place = (i * 7919) % count;
      return `Title ${place},http://example.com/${place},${1_500_000_000 + place},${place % 3 ? "" : "a|b"},${place % 2 ? "unread" : "archive"}`;
    }),
    "",
  ].join("\n");

const mixed = fileOf(
  `${header}\nOne,http://example.com/1,1500000001,a|b,archive\nX,ftp://example.com/,1,,unread\nTwo,http://example.com/2,1500000002,,unread\nAgain,http://example.com/1/,1500000003,c,unread\n`,
);

/** The ways to import. */
const ways: [string, (file: string, ...options: string[]) => Promise<Outcome>][] = [
  ["directly", (file, ...options) => commands.run("import", file, "--user", user.username, ...options)],
  [
    "through the service",
    (file, ...options) =>
      runCommand(
        ["import", file, "--user", user.username, "--url", service.baseUrl, ...options],
        { READINGLIST_APIKEY: service.apiKey },
        `${user.credentials.password}\n`,
      ),
  ],
];

describe.each(ways)("import %s", (_, run) => {
  test("adds the pages of a file, oldest first, with title, tags, state and time added", async () => {
    const file = fileOf(pocketOf(700));
    const outcome = await run(file, "--json");
    expect(outcome.json()).toEqual({
      file,
      format: "pocket-csv",
      user: user.username,
      dryRun: false,
      new: 700,
      changed: 0,
      existing: 0,
      rejected: 0,
      lost: {},
    });
    expect(outcome.code).toBe(0);
    const items = await user.items();
    expect(items.map(({ url }) => url)).toEqual(Array.from({ length: 700 }, (_, i) => `http://example.com/${699 - i}`));
    expect(items[0]).toMatchObject({ title: "Title 699", tags: "a,b", state: "0" });
    expect(items[1]).toMatchObject({ title: "Title 698", tags: "", state: "1" });
    expect(items.map(({ time_added }) => time_added)).toEqual(items.map((_, i) => `${1_500_000_699 - i}`));
  });

  test("names fields that a list does not have, and writes their values to the report", async () => {
    const report = path.join(folder, crypto.randomUUID());
    const file = fileOf("url,note,shelf,rating\nhttp://example.com/1,my note,top,\nhttp://example.com/2,,other,5\n");
    const { out } = await run(file, "--report", report);
    expect(out.split("\n").slice(-3)).toEqual([
      "Not imported, because the service has no field for it: shelf (2), rating (1); --report writes the values.",
      "Highlights: 1 new, 0 existing.",
      "",
    ]);
    const lines = readFileSync(report, "utf8").split("\n").slice(0, 2);
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { line: 2, result: "lost", url: "http://example.com/1", fields: { shelf: "top" } },
      { line: 3, result: "lost", url: "http://example.com/2", fields: { shelf: "other", rating: "5" } },
    ]);
  });

  test("writes the outcome of each line to the report, and ends with 3 if one was rejected", async () => {
    await user.add("http://example.com/2", { title: "Mine" });
    const report = path.join(folder, crypto.randomUUID());
    const outcome = await run(mixed, "--report", report);
    expect(outcome.code).toBe(3);
    expect(outcome.out).toBe(
      `Imported ${mixed} (Pocket CSV, or the zip that contains it) for ${user.username}: 1 new, 0 changed, 2 existing, 1 rejected.\nRejected 1 line: not an http(s) URL (line 3).\n`,
    );
    expect(
      readFileSync(report, "utf8")
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { line: 3, result: "rejected", reason: "not an http(s) URL" },
      { line: 2, result: "new", url: "http://example.com/1" },
      { line: 4, result: "existing", url: "http://example.com/2" },
      { line: 5, result: "existing", url: "http://example.com/1/" },
    ]);
    expect(statSync(report).mode & 0o077).toBe(0);
    expect(await user.items()).toMatchObject([{ title: expect.any(String) }, { title: expect.any(String) }]);
  });

  test("leaves the state and title of a page that is in the list, and fills an empty title and empty tags from all lines of it", async () => {
    await user.send({ new: [{ url: "http://example.com/1" }, { url: "http://example.com/2", tags: "mine" }] });
    const outcome = await run(mixed, "--json");
    expect(outcome.json()).toMatchObject({ new: 0, changed: 2, existing: 1, rejected: 1 });
    const items = await user.items();
    expect(items.find(({ url }) => url.endsWith("1"))).toMatchObject({ title: "One", tags: "a,b,c", state: "0" });
    expect(items.find(({ url }) => url.endsWith("2"))).toMatchObject({ title: "Two", tags: "mine", state: "0" });
  });

  test("repeated gives the same list", async () => {
    const file = fileOf(pocketOf(300));
    await run(file);
    const items = await user.items();
    service.clock.advance(5);
    expect((await run(file, "--json")).json()).toMatchObject({ new: 0, changed: 0, existing: 300 });
    expect(await user.items()).toEqual(items);
  });

  test("with --dry-run reports the same, and changes nothing", async () => {
    await user.add("http://example.com/2");
    const before = await user.items();
    const file = fileOf(
      `${pocketOf(600)}X,http://example.com/1/,1500000001,tag,unread\nX,http://example.com/1/,1600000000,,unread\nbad\n`,
    );
    const dry = (await run(file, "--dry-run", "--json")).json();
    expect(await user.items()).toEqual(before);
    expect(dry).toMatchObject({ new: 599, changed: 1, existing: 2, rejected: 1 });
    expect({ ...(await run(file, "--json")).json(), dryRun: true }).toEqual(dry);
  });

  test("removes parameters that only track, unless the list has the page with them", async () => {
    await user.add("http://example.com/known?utm_source=x");
    const lines = ["known?utm_source=x,a", "new?id=1&utm_source=x,b", "new?id=1,c"];
    const file = fileOf(`url,tags\n${lines.map((line) => `http://example.com/${line}\n`).join("")}`);
    await run(file);
    const items = await user.items();
    expect(items.map(({ url, tags }) => `${url} ${tags}`).toSorted()).toEqual([
      "http://example.com/known?utm_source=x a",
      "http://example.com/new?id=1 b,c",
    ]);
  });

  test("imports the sites of feeds as pages only with --feeds", async () => {
    const file = fileOf(
      '<opml><body><outline text="F" xmlUrl="http://example.com/feed" htmlUrl="http://example.com/"/></body></opml>',
    );
    expect(await run(file)).toMatchObject({
      code: 3,
      out: expect.stringContaining("a feed; use --feeds to import its site"),
    });
    expect((await run(file, "--feeds", "--json")).json()).toMatchObject({ new: 1, rejected: 0 });
  });

  test.each([
    ["bookmarks without a link", "<!DOCTYPE NETSCAPE-Bookmark-file-1><DL></DL>", "read as Netscape bookmarks"],
    ["a CSV of nothing but a header", "url,title\n", "read as any CSV"],
  ])("of %s fails with a line that names the format", async (_, text, format) => {
    expect(await run(fileOf(text))).toMatchObject({ code: 1, err: expect.stringContaining(format) });
  });

  test("of a file of no known format, or of none, fails with a line that says so", async () => {
    const file = fileOf("hello");
    expect(await run(file)).toMatchObject({
      code: 1,
      err: `readinglist: ${file}: unknown format; export HTML or CSV from the service\n`,
    });
    expect(await run("missing.csv")).toMatchObject({
      code: 1,
      err: "readinglist: missing.csv cannot be read: the file or folder does not exist\n",
    });
    expect(await user.items()).toEqual([]);
  });
});

/** A database that carries out a number of transactions, and never answers the last of them. */
async function holdAnswerOfWrite(number: number) {
  const { promise: held, resolve } = Promise.withResolvers<void>();
  let writes = 0;
  const hold = async (operation: string) => {
    if (operation !== "TransactWriteItems" || ++writes < number) return;
    resolve();
    await new Promise(() => {});
  };
  const proxy = await startDatabaseProxy(commands.env.DYNAMODB_ENDPOINT, async () => {}, hold);
  return { held, env: { DYNAMODB_ENDPOINT: proxy } };
}

describe("import directly", () => {
  test("that was killed half way and is repeated gives the same list", async () => {
    const file = fileOf(pocketOf(3000));
    const database = await holdAnswerOfWrite(10);
    const killed = startCommand(["import", file, "--user", user.username], { ...commands.env, ...database.env });
    const ended = once(killed, "close");
    await database.held;
    killed.kill("SIGKILL");
    await ended;
    // 990, or fewer if the command has repeated a transaction whose answer was late.
    const written = Number((await user.stats()).count_list);
    expect(written % 99).toBe(0);
    expect(written).toBeGreaterThan(0);
    expect(await commands.ok("import", file, "--user", user.username)).toMatchObject({
      new: 3000 - written,
      existing: written,
    });
    const other = await service.newUser();
    await commands.ok("import", file, "--user", other.username);
    expect(await user.items()).toEqual(await other.items());
    expect(await user.stats()).toMatchObject({ count_list: "3000", count_unread: "1500" });
  });

  test("that is interrupted prints how far it came, and is continued by the same command", async () => {
    const file = fileOf(pocketOf(500));
    const database = await startDatabaseProxy(commands.env.DYNAMODB_ENDPOINT, async (operation) => {
      if (operation === "TransactWriteItems" && ++writes === 3) process.emit("SIGINT");
    });
    let writes = 0;
    const { code, err } = await runCommand(["import", file, "--user", user.username], {
      ...commands.env,
      DYNAMODB_ENDPOINT: database,
    });
    expect([code, err.split("\n").at(-2)]).toEqual([
      1,
      "readinglist: stopped after 297 of 500 entries; run the same command again to continue",
    ]);
    expect(await commands.ok("import", file, "--user", user.username)).toMatchObject({ new: 203, existing: 297 });
  });

  test("continues with smaller parts if the database does not answer within the deadline", async () => {
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    const deadline = vi.spyOn(AbortSignal, "timeout").mockImplementation((milliseconds) => timeout(milliseconds / 40));
    onTestFinished(() => deadline.mockRestore());
    let writes = 0;
    const database = await startDatabaseProxy(commands.env.DYNAMODB_ENDPOINT, async (operation) => {
      if (operation === "TransactWriteItems" && ++writes === 1) await new Promise(() => {});
    });
    const env = { ...commands.env, DYNAMODB_ENDPOINT: database };
    const { code, out } = await runCommand(["import", fileOf(pocketOf(90)), "--user", user.username], env);
    expect([code, out]).toEqual([0, expect.stringContaining("90 new")]);
  });

  test("reads standard input if the file is -", async () => {
    const { code, out } = await runCommand(["import", "-", "--user", user.username], commands.env, pocketOf(2));
    expect([code, out]).toEqual([0, expect.stringContaining("2 new")]);
  });

  test("of a folder fails with a line that says so", async () => {
    const { code, err } = await commands.run("import", folder, "--user", user.username);
    expect([code, err]).toEqual([1, `readinglist: ${folder} cannot be read: it is a folder\n`]);
  });

  test("keeps the order of lines with the same time; those without a time come last", async () => {
    const times = ["", "1500000005", "1500000001", "1500000005", "", "1500000005"];
    const rows = times.map((time, i) => `T,http://example.com/${i},${time},,unread`);
    await commands.ok("import", fileOf([header, ...rows, ""].join("\n")), "--user", user.username);
    const shown = (await user.items()).map(({ url }) => Number(url.at(-1)));
    expect(shown.reverse()).toEqual([2, 1, 3, 5, 0, 4]);
  });

  test("works on the record of a user that version 0.2.0 wrote", async () => {
    const { client, tableName } = service.table;
    const Key = { pk: `USER#${user.username}`, sk: "USER" };
    const UpdateExpression = "REMOVE articles, articleBytes, signIns";
    await client.send(new UpdateCommand({ TableName: tableName, Key, UpdateExpression }));
    expect(await commands.ok("import", mixed, "--user", user.username).catch((error) => error.message)).toMatch(/: 3 /);
    expect(await user.stats()).toMatchObject({ count_list: "2", count_unread: "1" });
  });

  test("of an unknown user fails", async () => {
    const { code, err } = await commands.run("import", mixed, "--user", "nobody-here");
    expect([code, err]).toEqual([
      1,
      "readinglist: there is no user nobody-here; check the name, and the stage or database\n",
    ]);
  });
});

describe("import through the service", () => {
  test("with a wrong password changes nothing, and shows neither password nor API key", async () => {
    const outcome = await runCommand(
      ["import", mixed, "--user", user.username, "--url", service.baseUrl, "--apikey", service.apiKey],
      {},
      "not the password\n",
    );
    expect([outcome.code, outcome.err.split("\n").at(-2)]).toEqual([
      1,
      "readinglist: username or password is incorrect",
    ]);
    expect(outcome.out + outcome.err).not.toContain("not the");
    expect(outcome.out + outcome.err).not.toContain(service.apiKey);
    expect(await user.items()).toEqual([]);
  });

  test.each([
    [["--url", "http://example.com"], "API key"],
    [["--url", "nowhere", "--apikey", "k"], "--url must be"],
    [["--apikey", "k"], "with --url"],
    [["-", "--url", "http://example.com", "--apikey", "k"], "give the import as a file"],
  ])("a wrong command line %j ends with 2", async (options, message) => {
    const file = options[0] === "-" ? [] : [mixed];
    const outcome = await runCommand(["import", ...file, "--user", "ann", ...options], commands.env);
    expect([outcome.code, outcome.err]).toEqual([2, expect.stringContaining(message)]);
  });
});

test("an import says that its user was deleted meanwhile", async () => {
  const { operator } = service;
  const list = await operator.users.find(user.username);
  if (!list) throw new Error("there is no such user");
  const noReaders = {} as Pick<ImportPorts, "reader" | "pictures">;
  const target = createStoreTarget(operator, list, { articleQuota: 1_000_000, pictureQuota: 0, ...noReaders });
  await deleteUser(operator, operator.articles, list, service.clock.seconds());
  const url = "http://example.com/";
  const page = { itemId: toItemId(url), url, title: "", tags: "", state: "0", timeAdded: 1, timeUpdated: 1 } as const;
  const { signal } = new AbortController();
  await expect(target.importPages([page], { dryRun: false, signal })).rejects.toThrow(
    `the user ${user.username} was deleted during the import`,
  );
});
