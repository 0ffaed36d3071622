// SPDX-License-Identifier: MIT

import fs, { copyFileSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { hashApiKey } from "@reading-list/core/domain/applications.ts";
import { Database, fileName } from "@reading-list/store-sqlite/database.ts";
import { createOperatorStore } from "@reading-list/store-sqlite/operator.ts";
import { migrations } from "@reading-list/store-sqlite/schema.ts";
import { createStore } from "@reading-list/store-sqlite/store.ts";
import { countTurns, makeStepsLong } from "@reading-list/testing/count-turns.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";

let folder: string;
let file: string;
beforeEach(() => {
  folder = temporaryFolder();
  file = path.join(folder, fileName);
});

function open(steps?: readonly string[]): Database {
  const database = Database.open(folder, steps);
  onTestFinished(() => database.close());
  return database;
}

const addSetting = (database: Database, name: string) =>
  database.run("INSERT INTO settings VALUES (:name, 'x')", { name });
const settingsOf = (database: Database) =>
  database.all("SELECT name FROM settings ORDER BY name").map(({ name }) => name);

/** A database that has data and is closed. */
async function prepare(): Promise<void> {
  const database = Database.open(folder);
  await database.save(() => addSetting(database, "kept"));
  await database.close();
}

describe("a migration", () => {
  test("keeps the data, and a copy of the file as it was", async () => {
    await prepare();
    const notice = vi.spyOn(console, "error").mockImplementation(() => {});
    const next = open([...migrations, "ALTER TABLE settings ADD COLUMN more TEXT; UPDATE settings SET more = 'y'"]);
    expect(notice.mock.calls[0]?.[0]).toContain(
      `migrating ${file} from version ${migrations.length} to ${migrations.length + 1}`,
    );
    notice.mockRestore();
    expect(next.get("SELECT name, more FROM settings")).toEqual({ name: "kept", more: "y" });
    const copyName = path.join(folder, `reading-list-version-${migrations.length}.db`);
    const copy = new DatabaseSync(copyName, { readOnly: true });
    expect(copy.prepare("SELECT * FROM settings").all()).toEqual([{ name: "kept", value: "x" }]);
    copy.close();
    expect(statSync(copyName).mode & 0o777).toBe(0o600);
  });

  test("that fails changes nothing", async () => {
    await prepare();
    const notice = vi.spyOn(console, "error").mockImplementation(() => {});
    expect(() => open([...migrations, "DELETE FROM settings; SELECT nonsense"])).toThrow(/no such column/);
    notice.mockRestore();
    expect(settingsOf(open())).toEqual(["kept"]);
  });
});

describe("a file is refused in one line", () => {
  test.each([
    [
      "of a newer version",
      "PRAGMA user_version = 99",
      /version 99 of the schema, and this version .* up to \d+; install/,
    ],
    [
      "of another program",
      "PRAGMA application_id = 0",
      /not a SQLite database of this service.* readinglist move --all --from/,
    ],
  ])("%s", async (_, sql, line) => {
    await prepare();
    const database = new DatabaseSync(file);
    database.exec(sql);
    database.close();
    expect(() => open()).toThrow(line);
  });

  test.each([
    ["that is no database", () => writeFileSync(file, "not a database, but a text of some length ".repeat(200))],
    ["that was truncated", () => truncateSync(file, statSync(file).size - 6000)],
  ])("%s, and stays as it is", async (_, damage) => {
    await prepare();
    damage();
    const content = readFileSync(file);
    expect(() => {
      const database = open();
      database.all("PRAGMA integrity_check");
      settingsOf(database);
    }).toThrow(/damaged or is not a database; restore a backup|malformed/);
    expect(readFileSync(file).equals(content)).toBe(true);
  });
});

describe("a saved change", () => {
  test("is acknowledged after a sync that began after it, which changes share that waited", async () => {
    const syncs: ((error: Error | null) => void)[] = [];
    const sync = vi.spyOn(fs, "fdatasync").mockImplementation((_, done) => void syncs.push(done));
    onTestFinished(() => sync.mockRestore());
    const database = open();
    const acknowledged: string[] = [];
    const save = (name: string) => database.save(() => addSetting(database, name)).then(() => acknowledged.push(name));
    const changes = [save("a")];
    await expect.poll(() => syncs).toHaveLength(1);
    changes.push(save("b"), save("c"));
    await nextTurn();
    expect([syncs.length, acknowledged, settingsOf(database)]).toEqual([1, [], ["a", "b", "c"]]);
    syncs[0]?.(null);
    await expect.poll(() => syncs).toHaveLength(2);
    expect(acknowledged).toEqual(["a"]);
    syncs[1]?.(null);
    await Promise.all(changes);
    expect([syncs.length, acknowledged]).toEqual([2, ["a", "b", "c"]]);
  });

  test("is not acknowledged after a sync that failed, nor is a later one, which would follow it in the log", async () => {
    const failed = (_: number, done: (error: Error) => void) => done(new Error("EIO"));
    const sync = vi.spyOn(fs, "fdatasync").mockImplementationOnce(failed as typeof fs.fdatasync);
    onTestFinished(() => sync.mockRestore());
    const database = open();
    await expect(database.save(() => addSetting(database, "a"))).rejects.toThrow("EIO");
    await expect(database.save(() => addSetting(database, "b"))).rejects.toThrow("EIO");
    await expect(database.untilSaved()).rejects.toThrow("EIO");
  });

  test("survives a copy of the files as they are on the disk", async () => {
    const database = open();
    // Each in a callback of its own, like the requests of several connections.
    await Promise.all(
      ["a", "b", "c"].map((name) => nextTurn().then(() => database.save(() => addSetting(database, name)))),
    );
    const copy = path.join(folder, "copy");
    const files = readdirSync(folder).filter((name) => !name.endsWith("-shm"));
    rmSync(copy, { recursive: true, force: true });
    for (const name of files) copyFileSync(path.join(folder, name), path.join(folder, name.replace(fileName, "c.db")));
    const copied = new DatabaseSync(path.join(folder, "c.db"));
    expect(copied.prepare("SELECT count(*) AS n FROM settings").get()).toEqual({ n: 3 });
    copied.close();
  });

  test("waits while another process writes, and does not block this one", async () => {
    const database = open();
    const other = new DatabaseSync(file);
    other.exec("BEGIN IMMEDIATE");
    const saved = database.save(() => addSetting(database, "late"));
    setTimeout(() => other.exec("COMMIT"), 100);
    const { turns } = await countTurns(() => saved);
    other.close();
    expect(turns).toBeGreaterThan(5);
    expect(settingsOf(database)).toEqual(["late"]);
  });

  test("that fails half way changes nothing", async () => {
    const database = open();
    const failing = database.save(() => {
      addSetting(database, "half");
      throw new Error("stop");
    });
    await expect(failing).rejects.toThrow("stop");
    expect(settingsOf(database)).toEqual([]);
  });

  test("shares a transaction with the others of its turn; a failing change does not affect them", async () => {
    const database = open();
    const version = () => database.get("PRAGMA wal_checkpoint(NOOP)")?.log;
    await database.save(() => addSetting(database, "first"));
    const before = Number(version());
    // Each in a callback of its own, like the requests of several connections.
    await Promise.all(
      ["a", "b", "c"].map((name) => nextTurn().then(() => database.save(() => addSetting(database, name)))),
    );
    expect(Number(version()) - before).toBe(1);
    const outcomes = await Promise.allSettled([
      database.save(() => addSetting(database, "d")),
      database.save(() => addSetting(database, "d")),
      database.save(() => addSetting(database, "e")),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(settingsOf(database)).toEqual(["a", "b", "c", "d", "e", "first"]);
  });

  test("that takes long has a turn of its own, so that a batch of long ones does not stop the service", async () => {
    const database = open();
    makeStepsLong();
    const names = ["a", "b", "c", "d", "e", "f"];
    const saveAll = () => Promise.all(names.map((name) => database.write(() => addSetting(database, name))));
    expect((await countTurns(saveAll)).turns).toBeGreaterThanOrEqual(names.length - 1);
    expect(settingsOf(database)).toEqual(names);
  });
});

test.each(["this process", "another process"])(
  "a key that %s disables is refused by the next call, and maintenance that it begins is seen, and its end",
  async (writer) => {
    const here = createStore(open(), { user: 1, key: 1 });
    const { operator } = writer === "this process" ? here : createStore(open(), { user: 1, key: 1 });
    expect(await here.apiKeys.find("new-key")).toBeUndefined();
    const record = { applicationId: "a", name: "App", status: "enabled" as const, created: 1 };
    await operator.createApiKey("new-key", record);
    expect((await here.apiKeys.find("new-key"))?.status).toBe("enabled");
    await operator.changeApiKeys([[hashApiKey("new-key"), { status: "disabled" }]]);
    expect((await here.apiKeys.find("new-key"))?.status).toBe("disabled");
    expect(await here.settings.maintenance()).toBeUndefined();
    await operator.beginMaintenance({ text: "back soon" });
    expect(await here.settings.maintenance()).toBe("back soon");
    await operator.endMaintenance();
    expect(await here.settings.maintenance()).toBeUndefined();
  },
);

test("what is remembered is read once while nothing is written", () => {
  const database = open();
  const read = vi.fn(() => "value");
  expect([database.remember("name", read), database.remember("name", read)]).toEqual(["value", "value"]);
  expect(read).toHaveBeenCalledTimes(1);
});

test("a disk that is full refuses changes, and accepts them when it has space again", async () => {
  const database = open();
  await database.save(() => addSetting(database, "before"));
  const { page_count: pages } = database.get("PRAGMA page_count") ?? {};
  database.get(`PRAGMA max_page_count = ${pages}`);
  const large = () => database.run("INSERT INTO settings VALUES ('large', :value)", { value: "x".repeat(100_000) });
  await expect(database.save(large)).rejects.toThrow(/full/);
  expect(settingsOf(database)).toEqual(["before"]);
  database.get("PRAGMA max_page_count = 1000000");
  await database.save(large);
  expect(settingsOf(database)).toEqual(["before", "large"]);
});

const grow = (database: Database, bytes: number) =>
  database.write(() =>
    database.run("INSERT OR REPLACE INTO settings VALUES ('large', randomblob(:bytes) || 'x')", { bytes }),
  );
const pagesOfLog = (database: Database) => Number(database.get("PRAGMA wal_checkpoint(NOOP)")?.log);

test("the log is emptied while changes continue", async () => {
  const database = open();
  for (let i = 0; i < 300; i++) await grow(database, 100_000);
  await vi.waitFor(async () => {
    for (let i = 0; i < 100; i++) await grow(database, 100);
    expect(pagesOfLog(database)).toBeLessThan(2000);
  }, 50_000);
});

test("the thread that empties the log ends after a minute without work, and the next long log starts another one", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const terminate = vi.spyOn(Worker.prototype, "terminate");
  onTestFinished(() => terminate.mockRestore());
  const database = open();
  const untilEmptied = async () => {
    for (let i = 0; i < 100; i++) await grow(database, 100_000);
    while (pagesOfLog(database) > 2000) await grow(database, 100);
    while (vi.getTimerCount() === 0) await nextTurn();
  };
  await untilEmptied();
  vi.advanceTimersByTime(59_999);
  expect(terminate).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(terminate).toHaveBeenCalledOnce();
  await untilEmptied();
});

test("the log is left to another program if that empties it", async () => {
  const database = open();
  database.leavesCheckpoints = true;
  for (let i = 0; i < 300; i++) await grow(database, 100_000);
  for (let i = 0; i < 100; i++) await grow(database, 100);
  expect(pagesOfLog(database)).toBeGreaterThan(7000);
});

test("a sign-in by single sign-on writes a user's access only if it has changed", async () => {
  const database = open();
  const { identities } = createOperatorStore(database);
  const identity = { issuer: "https://sso.example", subject: "1" };
  await identities.create(identity, { username: "ann", passwordHash: "x", now: 1 }, undefined);
  const user = await identities.find(identity);
  if (!user) throw new Error("no user");
  const changesBy = async (isAllowed: boolean, isOperator: boolean) => {
    const before = database.get("SELECT total_changes() AS changes");
    await identities.setAccess(user, { isAllowed, isOperator });
    return Number(database.get("SELECT total_changes() AS changes")?.changes) - Number(before?.changes);
  };
  expect(await changesBy(true, false)).toBe(0);
  expect(await changesBy(true, true)).toBe(1);
  expect(await changesBy(true, true)).toBe(0);
  expect(await changesBy(false, true)).toBe(1);
  expect(await changesBy(false, false)).toBe(0);
});
