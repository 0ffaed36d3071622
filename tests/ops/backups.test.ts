// SPDX-License-Identifier: MIT

import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { migrations } from "@reading-list/store-sqlite/schema.ts";
import { form } from "@reading-list/testing/client.ts";
import { runCommand, startCommand } from "@reading-list/testing/command-line.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { startInProcess } from "@reading-list/testing/test-service.ts";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

const inFolder = (name: string) => path.join(folder, name);
const run = (dataDir: string, ...args: string[]) => runCommand([...args, "--yes"], { DATA_DIR: inFolder(dataDir) });

/** A command that must succeed. */
async function ok(dataDir: string, ...args: string[]): Promise<string> {
  const { code, out, err } = await run(dataDir, ...args);
  // A restore writes there what the backup contains.
  expect([code, err.includes("readinglist: ")]).toEqual([0, false]);
  return out;
}

/** Starts the service on a data folder, in this process, with a user ann; returns functions to call and stop it. */
async function startService(dataDir: string) {
  const limits = { USER_LIMIT: "1000000", KEY_LIMIT: "1000000" };
  const { baseUrl, stop } = await startInProcess({ DATA_DIR: dataDir, ...limits });
  const call = (endpoint: string, parameters: Record<string, string> = {}) => {
    const ann = { apikey: "local-dev-key", username: "ann", password: "secret" };
    return fetch(`${baseUrl}/v2/${endpoint}`, { method: "POST", body: form({ ...ann, ...parameters }) });
  };
  await call("signup");
  return {
    call,
    stop,
    get: async (parameters: Record<string, string>) => {
      const answer = await (await call("get", parameters)).json();
      return answer as { since: string; complete?: string; list: Record<string, { url: string }> };
    },
    add: async (url: string) => expect((await call("add", { url })).status).toBe(200),
    urls: async () => {
      const { list } = (await (await call("get")).json()) as { list: Record<string, { url: string }> };
      return Object.values(list).map(({ url }) => url);
    },
    count: async () => Number(((await (await call("stats")).json()) as { count_list: string }).count_list),
  };
}

/** A data folder with one page in ann's list, and a backup of it. */
async function prepare(): Promise<void> {
  const service = await startService(inFolder("data"));
  await service.add("http://example.com/before");
  await ok("data", "backup", inFolder("backup.db"));
  await service.add("http://example.com/after");
  await service.stop();
}

/** The pages of ann's list when a service starts on a data folder. */
async function urlsIn(dataDir: string): Promise<string[]> {
  const service = await startService(inFolder(dataDir));
  const urls = await service.urls();
  await service.stop();
  return urls.sort();
}

describe("a backup", () => {
  test("during writes is consistent and contains every write acknowledged before", async () => {
    const service = await startService(inFolder("data"));
    const acknowledged: string[] = [];
    let isOver = false;
    const writers = [1, 2, 3].map(async (writer) => {
      for (let i = 0; !isOver; i++) {
        const url = `http://example.com/${writer}/${i}`;
        await service.add(url);
        acknowledged.push(url);
      }
    });
    while (acknowledged.length < 100) await pause(10);
    const before = [...acknowledged];
    await ok("data", "backup", inFolder("backup.db"));
    isOver = true;
    await Promise.all(writers);
    expect(acknowledged.length).toBeGreaterThan(before.length);

    await ok("other", "restore", inFolder("backup.db"));
    const restored = await startService(inFolder("other"));
    const urls = await restored.urls();
    expect(urls).toEqual(expect.arrayContaining(before));
    expect(await restored.count()).toBe(urls.length);
    // The original still works.
    expect(await service.count()).toBe(acknowledged.length);
  });

  test.each([
    ["a full disk", 13],
    ["a limit of the file's size", 778],
  ])("that %s cuts off fails with one line, and leaves the earlier one", async (_, errcode) => {
    await prepare();
    const before = statSync(inFolder("backup.db")).ino;
    const full = Object.assign(new Error("database or disk is full"), { code: "ERR_SQLITE_ERROR", errcode });
    const { prepare: prepareStatement } = DatabaseSync.prototype;
    const disk = vi.spyOn(DatabaseSync.prototype, "prepare").mockImplementation(function (this: DatabaseSync, sql) {
      if (!sql.startsWith("VACUUM INTO")) return prepareStatement.call(this, sql);
      writeFileSync(inFolder("backup.db.unfinished-journal"), "");
      throw full;
    });
    onTestFinished(() => disk.mockRestore());
    const { code, out, err } = await run("data", "backup", inFolder("backup.db"));
    expect([code, out, err.split("\n")]).toEqual([
      1,
      "",
      [expect.stringMatching(/^readinglist: .*backup\.db cannot be written: the disk is full/), ""],
    ]);
    expect(statSync(inFolder("backup.db")).ino).toBe(before);
    expect(readdirSync(folder).sort()).toEqual(["backup.db", "backup.db.sha256", "data", "deleted-users.txt"]);
  });

  test("is one file that only its owner can read; a later backup replaces it", async () => {
    await prepare();
    for (let i = 0; i < 2; i++) {
      const { bytes } = JSON.parse(await ok("data", "backup", inFolder("backup.db"), "--json"));
      expect(bytes).toBe(statSync(inFolder("backup.db")).size);
      expect(statSync(inFolder("backup.db")).mode & 0o777).toBe(0o600);
      expect(readdirSync(folder).sort()).toEqual(["backup.db", "backup.db.sha256", "data", "deleted-users.txt"]);
      expect(statSync(inFolder("deleted-users.txt")).mode & 0o777).toBe(0o600);
    }
    await ok("other", "restore", inFolder("backup.db"));
    expect(await urlsIn("other")).toEqual(["http://example.com/after", "http://example.com/before"]);
  });

  test("that cannot be written ends with one line that says what to do", async () => {
    await prepare();
    const { code, out, err } = await run("data", "backup", inFolder("missing/backup.db"));
    expect([code, out]).toEqual([1, ""]);
    expect(err).toBe(
      `readinglist: ${inFolder("missing/backup.db")} cannot be written: the file or folder does not exist\n`,
    );
    const nothing = await run("nowhere", "backup", inFolder("nothing.db"));
    expect([nothing.code, nothing.err]).toEqual([
      1,
      expect.stringMatching(/^readinglist: no local database was found in /),
    ]);
    expect(readdirSync(folder).sort()).toEqual(["backup.db", "backup.db.sha256", "data", "deleted-users.txt"]);
  });
});

describe("a restore", () => {
  test("restores the data of the backup, and nothing written later", async () => {
    await prepare();
    mkdirSync(inFolder("data/search"), { recursive: true });
    const [done, ...notes] = (await ok("data", "restore", inFolder("backup.db"))).split("\n");
    expect(done).toBe(
      `Restored ${inFolder("data")} from ${inFolder("backup.db")}. 0 users who were deleted since the backup was written are left out.`,
    );
    expect(notes.join("\n")).toContain("readinglist users end-sign-ins --all");
    expect(await urlsIn("data")).toEqual(["http://example.com/before"]);
    expect(readdirSync(inFolder("data")).sort()).toEqual([
      "disk-reserve",
      "last-backup",
      "reading-list.db",
      "secret",
      "service-lock",
      "texts",
      "web-api-key",
    ]);
    expect(statSync(inFolder("data/reading-list.db")).mode & 0o777).toBe(0o600);
  });

  test("refuses a backup whose checksum differs from the file beside it", async () => {
    await prepare();
    const content = readFileSync(inFolder("backup.db"));
    const place = content.indexOf("http://example.com/before");
    expect(place).toBeGreaterThan(0);
    content.write("b", place + "http://example.com/".length - 1);
    writeFileSync(inFolder("backup.db"), content);
    const { code, err } = await run("other", "restore", inFolder("backup.db"));
    expect([code, err]).toEqual([1, expect.stringMatching(/backup.db is damaged: its checksum .*nothing was changed/)]);
    rmSync(inFolder("backup.db.sha256"));
    expect((await run("other", "restore", inFolder("backup.db"))).code).toBe(0);
  });

  test("says what a backup has before it replaces anything, and what the missing secret means", async () => {
    await prepare();
    const { out, err } = await run("other", "restore", inFolder("backup.db"));
    expect(err).toMatch(/backup.db: 1 user \(ann\); operators: none; newest change: 2/);
    expect(out).toContain("The backup has no DATA_DIR/secret.");
  });

  test("makes the next sync of each client a first sync, without data that the backup lacks", async () => {
    const service = await startService(inFolder("data"));
    await service.add("http://example.com/before");
    await ok("data", "backup", inFolder("backup.db"));
    await service.add("http://example.com/after");
    const { since } = await service.get({});
    await service.stop();
    await ok("data", "restore", inFolder("backup.db"));
    const restored = await startService(inFolder("data"));
    const { list, complete, since: next } = await restored.get({ since });
    expect([Object.values(list).map(({ url }) => url), complete]).toEqual([["http://example.com/before"], "1"]);
    await restored.add("http://example.com/next");
    const changes = await restored.get({ since: next });
    expect(Object.values(changes.list).map(({ url }) => url)).toEqual(["http://example.com/next"]);
    await restored.stop();
  });

  test("leaves sign-ins, which one command ends for all users", async () => {
    const service = await startService(inFolder("data"));
    const created = await service.call("app_passwords", { create: "Phone" });
    const { password } = (await created.json()) as { password: string };
    expect((await service.call("auth", { password })).status).toBe(200);
    expect(await ok("data", "users", "end-sign-ins", "--all")).toBe("Ended 1 sign-in of all users.\n");
    expect((await service.call("auth", { password })).status).toBe(401);
    expect((await service.call("auth")).status).toBe(200);
    await service.stop();
  });

  test("is refused while a service uses the folder, and does not affect the service", async () => {
    await prepare();
    const service = await startService(inFolder("data"));
    const { code, err } = await run("data", "restore", inFolder("backup.db"));
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/^readinglist: .* is in use; nothing was changed. Stop the service first/m),
    ]);
    await service.add("http://example.com/later");
    expect(await service.urls()).toHaveLength(3);
  });

  test("is refused without a terminal and --yes, and asks nothing if there is no data", async () => {
    await prepare();
    const restore = (dataDir: string) =>
      runCommand(["restore", inFolder("backup.db")], { DATA_DIR: inFolder(dataDir) });
    expect(await restore("data")).toMatchObject({ code: 2, err: expect.stringContaining("add --yes") });
    expect(await restore("new")).toMatchObject({ code: 0 });
    expect(await urlsIn("data")).toHaveLength(2);
  });

  /** Files that are not a backup of a reading list. */
  const faulty: [string, (file: string) => void | Promise<void>, RegExp][] = [
    ["a file that is missing", () => {}, /is not an intact backup \(the file does not exist\)/],
    ["a text", (file) => writeFileSync(file, "not a database"), /is not an intact backup/],
    ["an empty file", (file) => writeFileSync(file, ""), /it is empty/],
    [
      "half a backup",
      (file) => {
        cpSync(inFolder("backup.db"), file);
        truncateSync(file, statSync(file).size / 2);
      },
      /is not an intact backup/,
    ],
    [
      "a database of another program",
      (file) => changedBackup(file, "PRAGMA application_id = 1"),
      /not a SQLite database of this service/,
    ],
    ["a newer version", (file) => changedBackup(file, "PRAGMA user_version = 99"), /version 99 .* reads up to \d+;/],
    [
      "a backup with a trigger",
      (file) =>
        changedBackup(
          file,
          "CREATE TRIGGER spy AFTER UPDATE ON users BEGIN INSERT INTO settings VALUES (random(), new.username); END",
        ),
      /tables, views or triggers that are not from this service/,
    ],
    [
      "a backup with an index that lacks an entry",
      (file) => {
        cpSync(inFolder("backup.db"), file);
        const bytes = readFileSync(file);
        const database = new DatabaseSync(file);
        const { rootpage = 0, pages = 0 } =
          database
            .prepare(
              "SELECT rootpage, page_size AS pages FROM sqlite_schema, pragma_page_size WHERE name = 'items_by_id'",
            )
            .get() ?? {};
        database.close();
        // The number of entries of the index's only page.
        bytes.writeUInt16BE(0, (Number(rootpage) - 1) * Number(pages) + 3);
        writeFileSync(file, bytes);
      },
      /is not an intact backup/,
    ],
  ];

  /** Writes a copy of the backup in which a statement was run. */
  function changedBackup(file: string, sql: string): void {
    cpSync(inFolder("backup.db"), file);
    const database = new DatabaseSync(file);
    database.exec(sql);
    database.close();
  }

  test("of an invalid file is refused with one line and changes nothing", async () => {
    await prepare();
    for (const [what, make, reason] of faulty) {
      const file = inFolder("faulty.db");
      rmSync(file, { force: true });
      await make(file);
      const { code, out, err } = await run("data", "restore", file);
      expect([what, code, out]).toEqual([what, 1, ""]);
      expect(err).toMatch(/^readinglist: .*\n$/);
      expect(err).toMatch(reason);
    }
    expect(await urlsIn("data")).toHaveLength(2);
    expect(readdirSync(inFolder("data")).filter((name) => name.includes("unfinished"))).toEqual([]);
  });

  test("that is killed at any moment leaves the old data or the new", async () => {
    await prepare();
    const outcomes = new Set<number>();
    for (const delay of [100, 200, 250, 300, 400, 600]) {
      const dataDir = `data-${delay}`;
      cpSync(inFolder("data"), inFolder(dataDir), { recursive: true });
      const command = startCommand(["restore", inFolder("backup.db"), "--yes"], { DATA_DIR: inFolder(dataDir) });
      await pause(delay);
      command.kill("SIGKILL");
      outcomes.add((await urlsIn(dataDir)).length);
    }
    expect([...outcomes].every((count) => count === 1 || count === 2)).toBe(true);
  });

  test("replaces a damaged database", async () => {
    await prepare();
    for (const name of ["reading-list.db", "reading-list.db-wal"]) writeFileSync(inFolder(`data/${name}`), "damaged");
    await ok("data", "restore", inFolder("backup.db"));
    expect(await urlsIn("data")).toEqual(["http://example.com/before"]);
  });
});

describe("a user who was deleted after a backup", () => {
  /** A command that shows its progress. */
  const work = async (...args: string[]) => expect((await run("data", ...args)).code).toBe(0);

  /** A backup with a page of ann's; then ann's account is deleted. */
  async function deleteAfterBackup(): Promise<void> {
    await prepare();
    await work("users", "delete", "ann");
  }
  const restore = async (dataDir: string, file = "backup.db") =>
    JSON.parse(await ok(dataDir, "restore", inFolder(file), "--json")).leftOut;
  /** The files that have a page of ann's after the service has run on them. */
  async function filesWithPages(dataDir: string): Promise<string[]> {
    await startInProcess({ DATA_DIR: inFolder(dataDir) }).then(async ({ stop }) => {
      await vi.waitFor(async () => expect(await ok(dataDir, "users", "list", "--json")).toBe("[]\n"), 10_000);
      await stop();
    });
    return readdirSync(inFolder(dataDir)).filter(
      (name) => name.includes(".db") && readFileSync(path.join(inFolder(dataDir), name)).includes("example.com"),
    );
  }

  test("is left out of a restore over the database that names the deletion", async () => {
    await deleteAfterBackup();
    rmSync(inFolder("deleted-users.txt"));
    expect(await restore("data")).toBe(1);
    expect(await filesWithPages("data")).toEqual([]);
    // The restored database names the deletion, too.
    expect(await restore("data")).toBe(1);
  });

  test("is left out on another machine by the list beside the backups, which every backup continues", async () => {
    await deleteAfterBackup();
    await ok("data", "backup", inFolder("later.db"));
    expect(await restore("other")).toBe(1);
    expect(await filesWithPages("other")).toEqual([]);
    // The deletion is 14 days old, and a new database has no record of it.
    rmSync(inFolder("data"), { recursive: true });
    await startInProcess({ DATA_DIR: inFolder("data") }).then(({ stop }) => stop());
    await ok("data", "backup", inFolder("newest.db"));
    expect(await restore("third")).toBe(1);
  });

  test("is left out if the deletion had only begun", async () => {
    await prepare();
    const database = new DatabaseSync(inFolder("data/reading-list.db"));
    database.exec("UPDATE users SET password_hash = NULL, deleting_since = 1");
    database.close();
    expect(await restore("data")).toBe(1);
  });

  test("exists again if neither a database nor a list names the deletion, and the command says so", async () => {
    await deleteAfterBackup();
    rmSync(inFolder("deleted-users.txt"));
    expect(await restore("other")).toBe(null);
    rmSync(inFolder("other"), { recursive: true });
    expect(await ok("other", "restore", inFolder("backup.db"))).toContain(
      "No record of users deleted since the backup was found",
    );
    // A damaged database has no such list.
    for (const name of readdirSync(inFolder("data"))) {
      if (name.startsWith("reading-list.db")) writeFileSync(inFolder(`data/${name}`), "damaged");
    }
    expect(await restore("data")).toBe(null);
    // A database from before the list does not have it.
    const database = new DatabaseSync(inFolder("data/reading-list.db"));
    database.exec(`DROP TABLE deleted_users; PRAGMA user_version = ${migrations.length - 1}`);
    database.close();
    expect(await restore("data")).toBe(null);
    expect(await urlsIn("data")).toEqual(["http://example.com/before"]);
  });

  test("is not left out if the account was moved back since", async () => {
    await prepare();
    cpSync(inFolder("data"), inFolder("other"), { recursive: true });
    await work("users", "delete", "ann");
    await ok("data", "backup", inFolder("without.db"));
    await work("move", "ann", "--from", inFolder("other"), "--to", inFolder("data"));
    await ok("data", "backup", inFolder("back.db"));
    expect(await restore("data")).toBe(0);
    expect(await restore("third", "back.db")).toBe(0);
    expect(await urlsIn("third")).toHaveLength(2);
  });
});

test("copies that migrations made are removed after 35 days", async () => {
  await prepare();
  for (const days of [34, 36]) {
    const copy = inFolder(`data/reading-list-version-${days}.db`);
    writeFileSync(copy, "");
    utimesSync(copy, Date.now() / 1000, Date.now() / 1000 - days * 86_400);
  }
  await urlsIn("data");
  const copies = readdirSync(inFolder("data")).filter((name) => name.includes("-version-"));
  expect(copies).toEqual(["reading-list-version-34.db"]);
});

test.each([["backup"], ["restore"]])("%s is not for a deployed table", async (command) => {
  mkdirSync(inFolder("data"));
  for (const env of [{}, { DYNAMODB_ENDPOINT: "http://127.0.0.1:9" }, { DATA_DIR: ":memory:" }]) {
    const stage = Object.keys(env).length === 0 ? ["--stage", "production"] : [];
    const outcome = await runCommand([command, inFolder("file.db"), ...stage], { DATA_DIR: inFolder("data"), ...env });
    expect(outcome.code).toBe(2);
    expect(outcome.err).toContain("needs the data folder of npm start");
  }
});
