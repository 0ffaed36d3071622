// SPDX-License-Identifier: MIT

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { TestUser } from "@reading-list/testing/client.ts";
import { commandsFor, runCommand } from "@reading-list/testing/command-line.ts";
import { FakeClock } from "@reading-list/testing/fake-clock.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { startInProcess, startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeEach, describe, expect, inject, test } from "vitest";

const day = 86_400;
/** The clock of the machine, which commands have: of a service whose clock was right, it is a year ahead. */
const ahead = Math.floor(Date.now() / 1000);
const right = ahead - 365 * day;

describe.skipIf(inject("isOnDynamodb"))("a service whose clock was right", () => {
  let folder: string;
  let before: TestService;
  let user: TestUser;
  let commands: ReturnType<typeof commandsFor>;

  const startAt = (seconds: number) => startTestService({ DATA_DIR: folder }, { clock: new FakeClock(seconds) });
  const runAt = async (seconds: number) => (await startAt(seconds)).stop();
  /** The data that is erased by age in a data folder. */
  const erasable = () => {
    const database = new DatabaseSync(path.join(folder, "reading-list.db"), { readOnly: true });
    const tables = [
      "items",
      "highlights",
      "sign_ins",
      "authorizations",
      "operator_links",
      "login_attempts",
      "key_windows",
    ];
    const rows = tables.map((table) => [table, database.prepare(`SELECT * FROM ${table}`).all()]);
    database.close();
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /old|version/.test(name));
    return { ...Object.fromEntries(rows), files: files.sort() };
  };
  const inTrash = () =>
    erasable().items.filter((item: { trashed_state: unknown }) => item.trashed_state !== null).length;

  beforeEach(async () => {
    folder = temporaryFolder();
    before = await startAt(right);
    commands = commandsFor(before);
    user = await before.newUser();
    await user.send({ new: ["http://a.example/", "http://b.example/", "http://c.example/"].map((url) => ({ url })) });
    await user.ok("highlights", { save: JSON.stringify([{ id: "a", url: "http://a.example/", quote: "q" }]) });
    await user.ok("highlights", { delete: JSON.stringify(["a"]) });
    await user.send({ delete: [{ url: "http://a.example/" }, { url: "http://b.example/" }] });
    await user.ok("trash", { purge: JSON.stringify(["http://b.example/"]) });
    await user.call("auth", { password: "wrong" });
    const link = { id: "link", secretHash: "hash", username: undefined, createdAt: right, expiresAt: right + 7 * day };
    await before.operator.administration?.addLink(link);
    await before.stop();
    for (const name of ["texts", "pictures/user"]) mkdirSync(path.join(folder, name), { recursive: true });
    const { userId = "" } = (await before.operator.findUser(user.credentials.username)) ?? {};
    mkdirSync(path.join(folder, "pictures", userId), { recursive: true });
    for (const name of ["texts/old", `pictures/${userId}/old.1`, "reading-list-version-1.db"]) {
      writeFileSync(path.join(folder, name), "");
      utimesSync(path.join(folder, name), right, right);
    }
  });

  test("erases nothing by age while it is a year ahead; what has expired is refused; it erases when it is right again", async () => {
    const kept = erasable();
    expect(Object.entries(kept).filter(([, entries]) => (entries as unknown[]).length === 0)).toEqual([
      ["sign_ins", []],
      ["authorizations", []],
    ]);
    const wrong = await startAt(ahead);
    expect(await wrong.operator.administration?.findLink("hash", ahead)).toBeUndefined();
    await wrong.stop();
    await runAt(ahead + day);
    expect(erasable()).toEqual(kept);
    await runAt(right + 20 * day);
    const again = await startAt(right + 40 * day);
    await expect.poll(inTrash).toBe(0);
    await expect.poll(() => erasable().operator_links).toEqual([]);
    await again.stop();
    expect(erasable().files).toEqual([expect.stringContaining("old.1")]);
    expect(existsSync(path.join(folder, "texts", "old"))).toBe(false);
  });

  test("is reported by doctor, a metric and a command, which can confirm the clock", async () => {
    const metric = async () => {
      const service = await startInProcess({ DATA_DIR: folder, METRICS_PORT: "0", LOG_LEVEL: "SILENT" });
      const metrics = await (await fetch(service.metricsUrl)).text();
      return { value: /^readinglist_clock_implausible (\d)$/m.exec(metrics)?.[1], stop: service.stop };
    };
    const wrong = await metric();
    expect(wrong.value).toBe("1");
    expect(await commands.ok("clock")).toMatchObject({ isPlausible: false });
    const findings = async () => {
      const { checks } = (await commands.run("--json", "doctor")).json() as {
        checks: { check: string; ok: boolean }[];
      };
      return checks.filter(({ ok }) => !ok).map(({ check }) => check);
    };
    expect(await findings()).toContain("clock");
    expect(await findings()).not.toContain("trash");
    expect(inTrash()).toBe(1);
    await commands.ok("clock", "confirm");
    expect(await commands.ok("clock")).toMatchObject({ isPlausible: true });
    await wrong.stop();
    const confirmed = await metric();
    expect(confirmed.value).toBe("0");
    await expect.poll(inTrash).toBe(0);
    await confirmed.stop();
  });

  test("and that was off for months erases on its seventh day", async () => {
    const later = right + 100 * day;
    for (let run = 0; run < 6; run++) await runAt(later + run * day);
    expect(inTrash()).toBe(1);
    const healed = await startAt(later + 6 * day);
    await expect.poll(inTrash).toBe(0);
    await healed.stop();
  });

  test("says that nothing is deleted, and deletes no backups of the folder of the command", async () => {
    const backups = path.join(folder, "backups");
    mkdirSync(backups);
    const files = [1, 2, 3, 4, 5].map((number) => path.join(backups, `${number}.db`));
    for (const [index, file] of files.entries()) {
      await commands.ok("backup", file);
      utimesSync(file, right - index * day, right - index * day);
    }
    writeFileSync(path.join(backups, "foreign.db"), "");
    utimesSync(path.join(backups, "foreign.db"), 0, 0);
    const databases = () => readdirSync(backups).filter((name) => /\.db(\.sha256)?$/.test(name));
    const all = databases();
    await runAt(ahead);
    expect((await commands.run("backups", "prune", backups)).out).toContain("the clock of this machine is implausible");
    expect(databases()).toEqual(all);
    await commands.ok("clock", "confirm");
    expect(await commands.ok("backups", "prune", backups)).toMatchObject({ deleted: 2 });
    expect(databases()).toEqual(all.filter((name) => !/^[45]/.test(name)));
    expect((await commands.run("backups", "prune", folder)).err).toContain("is a data folder");
  });

  test("remembers it when a backup replaces its database", async () => {
    const file = path.join(temporaryFolder(), "backup.db");
    await commands.ok("backup", file);
    await runAt(right + 20 * day);
    const record = await before.operator.clock.find();
    // The operator's connection has the database of the service open.
    const copy = temporaryFolder();
    cpSync(folder, copy, { recursive: true });
    expect(await runCommand(["restore", file, "--yes"], { DATA_DIR: copy })).toMatchObject({ code: 0 });
    const database = new DatabaseSync(path.join(copy, "reading-list.db"));
    expect(database.prepare("SELECT value FROM settings WHERE name = 'clock'").get()?.value).toBe(
      JSON.stringify(record),
    );
    database.close();
  });
});

describe("each place that erases by age asks for a permit", () => {
  /** Compares an age, in a file that deletes something. */
  const age = /mtimeMs|\b[nN]ow(\(\))? - [\w.]+( \*|;|,|\)| \})|isOver\(|<= :time/;
  const deletion = /\b(rm|rmSync|unlinkSync|deleteIf|deleteBatch|Delete\w*Command)\(|DELETE FROM|\.(remove|erase)\(/;
  /** Files that compare an age for something else, or whose deletions are asked for elsewhere. */
  const others: Record<string, string> = {
    "packages/store-dynamodb/deletion.ts": "removes the listing of a deletion that was never begun",
    "packages/backup/folder.ts": "lists the times of files; deletes the names that it is given",
    "packages/store-dynamodb/trash.ts": "erases the items that it is given",
  };
  const sources = readdirSync("packages", { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !/node_modules|^(testing|web|client|extension)\//.test(name))
    .map((name) => ({ name: `packages/${name}`, text: readFileSync(path.join("packages", name), "utf8") }));
  const places = sources.filter(({ name, text }) => age.test(text) && deletion.test(text) && !others[name]);
  const page = readFileSync("docs/decisions/implausible-clocks.md", "utf8");

  test.each(places)("$name", ({ name, text }) => {
    expect(text).toMatch(/ErasePermit|erasePermit/);
    expect(page).toContain(`\`${name}\``);
  });

  test("and no unit deletes by the time of files", () => {
    for (const name of readdirSync("deploy/self-hosting")) {
      expect(readFileSync(path.join("deploy/self-hosting", name), "utf8")).not.toContain("-mtime");
    }
    expect(places.length).toBeGreaterThan(5);
  });

  test("the page lists no other file", () => {
    const named = [...page.matchAll(/`(packages\/[\w./-]+)`/g)].map(([, name]) => name);
    expect(named.filter((name) => !sources.some((each) => each.name === name))).toEqual([]);
  });
});
